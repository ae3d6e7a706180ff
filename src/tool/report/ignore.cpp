#include "report/ignore.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <limits>

#include "report/csv.h"
#include "sightline/mesh.h"

namespace sightline::report {
namespace {

constexpr std::uint64_t kAny = std::numeric_limits<std::uint64_t>::max();
// Tokens: kAny, 2 n for the part of number n, 2 n + 1 for the n-th name in the list.
constexpr std::uint64_t kUnnamed = kAny - 1;  // a name that is not in the list

bool is_any(const std::string& cell) { return cell.empty() || cell == "*"; }

std::uint64_t whole(const std::string& file, std::uint64_t line, const std::string& column, const std::string& cell) {
  if (is_any(cell)) return kAny;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error != std::errc() || end != cell.data() + cell.size() || value > std::numeric_limits<std::uint32_t>::max())
    throw Error(fmt::format("{}:{}: {} '{}' is not a number from 0", file, line, column, printable(cell)));
  return value;
}

int kind_of(std::uint64_t token) { return token == kAny ? 0 : token % 2 == 0 ? 1 : 2; }

std::uint64_t shape(std::uint64_t a, std::uint64_t b, std::uint64_t ta, std::uint64_t tb) {
  return std::uint64_t{1} << (((kind_of(a) * 3 + kind_of(b)) * 2 + (ta != kAny)) * 2 + (tb != kAny));
}

}  // namespace

std::size_t IgnoreList::KeyHash::operator()(const Key& key) const {
  std::uint64_t h = 0;
  for (const std::uint64_t value : {key.a, key.b, key.triangle_a, key.triangle_b}) {
    h = (h ^ value) * 0x9E3779B97F4A7C15u;
    h ^= h >> 29;
  }
  return h;
}

IgnoreList::Token IgnoreList::name_token(const std::string& name) {
  return 2 * names_.try_emplace(name, names_.size()).first->second + 1;
}

IgnoreList::IgnoreList(const std::filesystem::path& path) : file_(printable(path.string())) {
  const CsvTable table = read_csv(path);
  constexpr const char* kTitles[6] = {"name_a", "name_b", "part_a", "part_b", "triangle_a", "triangle_b"};
  int columns[6];
  for (int i = 0; i < 6; ++i) columns[i] = table.column(kTitles[i]);
  // Half of a pair, or a misspelt name of a column, would ignore far more than was meant.
  for (int i = 0; i < 6; i += 2)
    if ((columns[i] >= 0) != (columns[i + 1] >= 0))
      throw Error(fmt::format("{}: the header has {} but no {}", file_, kTitles[columns[i] >= 0 ? i : i + 1],
                              kTitles[columns[i] >= 0 ? i + 1 : i]));
  for (std::size_t i = 0; i < table.header.size(); ++i) {
    std::string low = table.header[i];
    for (char& c : low) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const bool known = std::find(std::begin(kTitles), std::end(kTitles), table.header[i]) != std::end(kTitles);
    if (!known && (low.starts_with("name") || low.starts_with("part") || low.starts_with("triangle")))
      throw Error(fmt::format("{}: the header has a column '{}', which is not one of {}", file_,
                              printable(table.header[i]), fmt::join(kTitles, ", ")));
    if (known && std::count(table.header.begin(), table.header.end(), table.header[i]) > 1)
      throw Error(fmt::format("{}: the header has the column {} twice", file_, table.header[i]));
  }
  const bool names = columns[0] >= 0, numbers = columns[2] >= 0, triangles = columns[4] >= 0;
  if (!names && !numbers && !triangles)
    throw Error(fmt::format(
        "{}: the header needs name_a and name_b, part_a and part_b, or triangle_a and triangle_b; it is '{}'", file_,
        printable(fmt::format("{}", fmt::join(table.header, ",")))));
  for (const CsvRow& row : table.rows) {
    const auto cell = [&](int which) {
      return columns[which] < 0 ? std::string() : row.cells[static_cast<std::size_t>(columns[which])];
    };
    // A name is preferred to a number, which changes when a part is added.
    const auto side = [&](int name, int number, const char* title) -> Token {
      if (names && !is_any(cell(name))) return name_token(cell(name));
      const std::uint64_t value = numbers ? whole(file_, row.line, title, cell(number)) : kAny;
      return value == kAny ? kAny : 2 * value;
    };
    const Key key{side(0, 2, "part_a"), side(1, 3, "part_b"),
                  triangles ? whole(file_, row.line, "triangle_a", cell(4)) : kAny,
                  triangles ? whole(file_, row.line, "triangle_b", cell(5)) : kAny};
    if (key == Key{kAny, kAny, kAny, kAny})
      throw Error(fmt::format("{}:{}: an entry that would ignore everything", file_, row.line));
    if (line_with_triangles_ == 0 && (key.triangle_a != kAny || key.triangle_b != kAny))
      line_with_triangles_ = row.line;
    const auto entry = static_cast<std::uint32_t>(entries_.size());
    std::vector<std::string> words;
    for (const std::string& text : row.cells) words.push_back(shorten(printable(text), 32));
    entries_.push_back({row.line, fmt::format("{}", fmt::join(words, ",")), false});
    index_[key].push_back(entry);
    shapes_ |= shape(key.a, key.b, key.triangle_a, key.triangle_b);
  }
}

void IgnoreList::begin(std::span<const Part> parts, std::size_t number) {
  by_name_.clear();
  first_ = number;
  for (const Part& part : parts) {
    const auto found = names_.find(as_utf8(part.name));
    by_name_.push_back(found == names_.end() ? kUnnamed : 2 * found->second + 1);
  }
}

bool IgnoreList::use(const Contact& contact, bool only_parts) {
  const auto tokens = [&](std::uint32_t object) {
    return std::array<Token, 3>{kAny, 2 * (first_ + object), by_name_[object]};
  };
  bool used = false;
  const auto look_up = [&](const Key& key) {
    if (only_parts && (key.triangle_a != kAny || key.triangle_b != kAny)) return;
    const auto found = index_.find(key);
    if (found == index_.end()) return;
    for (const std::uint32_t entry : found->second) entries_[entry].used = true;
    used = true;
  };
  const auto a = tokens(contact.object_a), b = tokens(contact.object_b);
  for (const bool swapped : {false, true})
    for (const Token x : swapped ? b : a)
      for (const Token y : swapped ? a : b)
        for (const std::uint64_t t : {kAny, std::uint64_t{swapped ? contact.b : contact.a}})
          for (const std::uint64_t u : {kAny, std::uint64_t{swapped ? contact.a : contact.b}})
            if ((shapes_ & shape(x, y, t, u)) != 0) look_up(Key{x, y, t, u});
  return used;
}

std::vector<std::uint64_t> IgnoreList::unused_lines() const {
  std::vector<std::uint64_t> lines;
  for (const Entry& entry : entries_)
    if (!entry.used) lines.push_back(entry.line);
  return lines;
}

std::vector<std::string> IgnoreList::warnings() const {
  constexpr std::size_t kMost = 10;
  const std::size_t unused = unused_lines().size();
  if (entries_.empty()) return {fmt::format("{}: the ignore list has no entries", file_)};
  if (unused == entries_.size())
    return {fmt::format("{}: the ignore list matches nothing: none of its {} entries names a contact", file_, unused)};
  std::vector<std::string> texts;
  for (const Entry& entry : entries_) {
    if (entry.used) continue;
    if (texts.size() == kMost) {
      texts.push_back(fmt::format("{}: and {} more entries that match nothing", file_, unused - kMost));
      break;
    }
    texts.push_back(fmt::format("{}:{}: this entry matches nothing: {}", file_, entry.line, entry.text));
  }
  return texts;
}

}  // namespace sightline::report
