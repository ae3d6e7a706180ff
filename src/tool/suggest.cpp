#include "tool/suggest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <vector>

namespace sightline::tool {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

/// Letters to change, add, remove, or swap with a neighbour.
std::size_t edits(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i)
    for (std::size_t k = 0; k <= b.size(); ++k) {
      if (i == 0 || k == 0) {
        cost[i][k] = i + k;
        continue;
      }
      cost[i][k] =
          std::min({cost[i - 1][k] + 1, cost[i][k - 1] + 1, cost[i - 1][k - 1] + (a[i - 1] == b[k - 1] ? 0 : 1)});
      if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
        cost[i][k] = std::min(cost[i][k], cost[i - 2][k - 2] + 1);
    }
  return cost[a.size()][b.size()];
}

constexpr std::size_t kLongest = 64;  // no known word is longer, and the cost grows with the square

}  // namespace

std::string nearest(std::string_view word, std::span<const std::string> known) {
  const std::string low = lower(word.substr(0, kLongest));
  const std::size_t letters = low.size() - std::min(low.find_first_not_of('-'), low.size());
  std::size_t best = letters < 3 ? 1 : 1 + letters / 3;  // one more than the largest number that is accepted
  std::string found;
  for (const std::string& candidate : known)
    if (const std::size_t cost = edits(low, lower(candidate)); cost < best) {
      best = cost;
      found = candidate;
    }
  if (!found.empty() || letters < 2) return found;
  const auto longer =
      std::ranges::find_if(known, [&](const std::string& candidate) { return lower(candidate).starts_with(low); });
  return longer == known.end() ? "" : *longer;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> known) {
  const std::string found = nearest(word, known);
  return found.empty() ? "" : fmt::format("; did you mean '{}'?", found);
}

std::string not_there(std::string_view what, std::string_view word, std::span<const std::string> known,
                      std::string_view all) {
  const std::string hint = did_you_mean(word, known);
  std::string rest(all);
  if (!hint.empty()) rest[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(rest[0])));
  return fmt::format("there is no {} '{}'{} {}", what, word, hint.empty() ? ";" : hint, rest);
}

}  // namespace sightline::tool
