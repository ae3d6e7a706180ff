#include "report/ignore.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>

#include "report/csv.h"
#include "report/labels.h"
#include "report/review.h"
#include "sightline/mesh.h"

namespace sightline::report {
namespace {

constexpr std::uint64_t kAny = std::numeric_limits<std::uint64_t>::max();
// Tokens: kAny, 2 n for the part of number n, 2 n + 1 for the n-th name or label in the list.

bool is_any(const std::string& cell) { return cell.find_first_not_of('*') == std::string::npos; }

std::uint64_t whole(const std::string& file, std::uint64_t line, const std::string& column, const std::string& cell) {
  if (is_any(cell)) return kAny;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error != std::errc() || end != cell.data() + cell.size() || value > std::numeric_limits<std::uint32_t>::max())
    throw Error(fmt::format("{}:{}: {} '{}' is not a number from 0", file, line, column, printable(cell)));
  return value;
}

// The apostrophe that a page's list has before text that a spreadsheet would take as a formula.
std::string without_quote(const std::string& cell) { return cell.starts_with('\'') ? cell.substr(1) : cell; }

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
  const auto [found, is_new] = names_.try_emplace(name, names_.size() + labels_.size());
  const Token token = 2 * found->second + 1;
  if (is_new && is_pattern(name)) patterns_.emplace_back(name, token);
  return token;
}

IgnoreList::Token IgnoreList::label_token(const std::string& label) {
  return 2 * labels_.try_emplace(label, names_.size() + labels_.size()).first->second + 1;
}

bool IgnoreList::is_patterns(const std::string& argument) {
  std::error_code error;
  return argument.find(',') != std::string::npos && !std::filesystem::exists(argument, error);
}

IgnoreList::IgnoreList(const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    file_ += (file_.empty() ? "" : ", ") + printable(argument);
    if (!is_patterns(argument)) {
      read(argument);
      continue;
    }
    const std::size_t comma = argument.find(',');
    const std::string a = argument.substr(0, comma), b = argument.substr(comma + 1);
    if (b.find(',') != std::string::npos)
      throw Error(fmt::format("--ignore '{}': there is no such file, and two patterns have one comma between them",
                              printable(argument)));
    const auto side = [this](const std::string& text) { return is_any(text) ? kAny : name_token(text); };
    const Key key{side(a), side(b), kAny, kAny};
    if (key == Key{kAny, kAny, kAny, kAny})
      throw Error(fmt::format("--ignore '{}': would ignore everything", printable(argument)));
    add(key, {"--ignore", entries_.size() + 1, printable(argument)});
  }
}

void IgnoreList::add(const Key& key, Entry entry) {
  index_[key].push_back(static_cast<std::uint32_t>(entries_.size()));
  entries_.push_back(std::move(entry));
  shapes_ |= shape(key.a, key.b, key.triangle_a, key.triangle_b);
}

void IgnoreList::read(const std::string& path) {
  const std::string file = printable(path);
  const CsvTable table = read_list(path);
  constexpr const char* kTitles[6] = {"name_a", "name_b", "part_a", "part_b", "triangle_a", "triangle_b"};
  int columns[6];
  for (int i = 0; i < 6; ++i) columns[i] = table.column(kTitles[i]);
  // Half of a pair, or a misspelt name of a column, would ignore far more than was meant.
  for (int i = 0; i < 6; i += 2)
    if ((columns[i] >= 0) != (columns[i + 1] >= 0))
      throw Error(fmt::format("{}: the header has {} but no {}", file, kTitles[columns[i] >= 0 ? i : i + 1],
                              kTitles[columns[i] >= 0 ? i + 1 : i]));
  for (std::size_t i = 0; i < table.header.size(); ++i) {
    std::string low = table.header[i];
    for (char& c : low) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const bool known = std::find(std::begin(kTitles), std::end(kTitles), table.header[i]) != std::end(kTitles);
    if (!known && (low.starts_with("name") || low.starts_with("part") || low.starts_with("triangle")))
      throw Error(fmt::format("{}: the header has a column '{}', which is not one of {}", file,
                              printable(table.header[i]), fmt::join(kTitles, ", ")));
    if (known && std::count(table.header.begin(), table.header.end(), table.header[i]) > 1)
      throw Error(fmt::format("{}: the header has the column {} twice", file, table.header[i]));
  }
  const bool names = columns[0] >= 0, numbers = columns[2] >= 0, triangles = columns[4] >= 0;
  if (!names && !numbers && !triangles)
    throw Error(fmt::format(
        "{}: the header needs name_a and name_b, part_a and part_b, or triangle_a and triangle_b; it is '{}'", file,
        printable(fmt::format("{}", fmt::join(table.header, ",")))));
  const bool reviewed = has_statuses(table);
  // The tables of --csv and the lists of pages have numbers or relations beside labels. What a person writes has names
  // or patterns.
  const bool has_labels = names && (numbers || table.column("relation") >= 0);
  const bool for_spreadsheets = is_list_of_page(table);
  for (const CsvRow& row : table.rows) {
    if (reviewed && row.cells[static_cast<std::size_t>(table.column("status"))] != kAccepted) continue;
    const auto cell = [&](int which) {
      return columns[which] < 0 ? std::string() : row.cells[static_cast<std::size_t>(columns[which])];
    };
    // A label is preferred to a number, which changes when a part is added.
    const auto side = [&](int name, int number, const char* title) -> Token {
      if (has_labels && !cell(name).empty())
        return label_token(for_spreadsheets ? without_quote(cell(name)) : cell(name));
      if (names && !has_labels && !is_any(cell(name))) return name_token(cell(name));
      const std::uint64_t value = numbers ? whole(file, row.line, title, cell(number)) : kAny;
      return value == kAny ? kAny : 2 * value;
    };
    const Key key{side(0, 2, "part_a"), side(1, 3, "part_b"),
                  triangles ? whole(file, row.line, "triangle_a", cell(4)) : kAny,
                  triangles ? whole(file, row.line, "triangle_b", cell(5)) : kAny};
    if (key == Key{kAny, kAny, kAny, kAny})
      throw Error(fmt::format("{}:{}: an entry that would ignore everything", file, row.line));
    if (line_with_triangles_ == 0 && (key.triangle_a != kAny || key.triangle_b != kAny))
      line_with_triangles_ = row.line;
    std::vector<std::string> words;
    for (const std::string& text : row.cells) words.push_back(shorten(printable(text), 32));
    add(key, {fmt::format("{}:{}", file, row.line), row.line, fmt::format("{}", fmt::join(words, ","))});
  }
}

void IgnoreList::begin(std::span<const Part> parts, std::size_t number) {
  tokens_.clear();
  const std::vector<std::string> all_labels = labels(parts);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string names[2] = {as_utf8(parts[i].name),
                                  as_utf8(parts[i].label.empty() ? all_labels[i] : parts[i].label)};
    std::vector<Token>& tokens = tokens_.emplace_back(std::vector<Token>{kAny, 2 * (number + i)});
    for (const std::string& name : names)
      if (const auto found = names_.find(name); found != names_.end()) tokens.push_back(2 * found->second + 1);
    if (const auto found = labels_.find(names[1]); found != labels_.end()) tokens.push_back(2 * found->second + 1);
    for (const auto& [pattern, token] : patterns_)
      if (fits(pattern, names[0]) || fits(pattern, names[1])) tokens.push_back(token);
    std::sort(tokens.begin(), tokens.end());
    tokens.erase(std::unique(tokens.begin(), tokens.end()), tokens.end());
  }
}

bool IgnoreList::use(const Contact& contact, bool only_parts) {
  bool used = false;
  const auto look_up = [&](const Key& key) {
    if (only_parts && (key.triangle_a != kAny || key.triangle_b != kAny)) return;
    const auto found = index_.find(key);
    if (found == index_.end()) return;
    for (const std::uint32_t entry : found->second) entries_[entry].used = true;
    used = true;
  };
  const std::vector<Token>&a = tokens_[contact.object_a], &b = tokens_[contact.object_b];
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
    texts.push_back(fmt::format("{}: this entry matches nothing: {}", entry.place, entry.text));
  }
  return texts;
}

}  // namespace sightline::report
