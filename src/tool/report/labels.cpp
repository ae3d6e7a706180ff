#include "report/labels.h"

#include <map>

namespace sightline::report {
namespace {

/// The pattern without alternatives. After a mismatch the last * takes one more character.
bool fits_one(std::string_view pattern, std::string_view name) {
  std::size_t p = 0, n = 0, star = std::string_view::npos, taken = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      // ? takes a whole character of UTF-8.
      n += pattern[p] == '?' ? static_cast<std::size_t>(next_code_point(name.substr(n)).bytes) : 1;
      ++p;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++taken;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::string with_its_file(const Part& part) { return part.file + ":" + part.name; }

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::vector<std::string> labels(std::span<const Part> parts) {
  std::map<std::string, int> names, with_file;
  for (const Part& part : parts) {
    ++names[as_utf8(part.name)];
    ++with_file[as_utf8(with_its_file(part))];
  }
  std::vector<std::string> out;
  std::set<std::string> used;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string &name = parts[i].name, full = with_its_file(parts[i]);
    std::string label = names[as_utf8(name)] == 1 && !name.empty() ? name : full;
    if (with_file[as_utf8(full)] > 1) label = fmt::format("{} #{}", name, i);
    // A name in a file can look like a label of ours.
    while ((label != name && names.contains(as_utf8(label))) || !used.insert(as_utf8(label)).second)
      label += fmt::format(" #{}", i);
    out.push_back(std::move(label));
  }
  return out;
}

std::string LabelsInOrder::next(const Part& part) {
  const std::string full = with_its_file(part);
  std::string label = part.name.empty() || used_.contains(as_utf8(part.name)) ? full : part.name;
  if (used_.contains(as_utf8(label))) label = part.name;
  while (!used_.insert(as_utf8(label)).second) label += fmt::format(" #{}", count_);
  ++count_;
  return label;
}

bool is_pattern(std::string_view text) { return text.find_first_of("*?|") != std::string_view::npos; }

bool fits(std::string_view pattern, std::string_view name) {
  if (pattern == name) return true;
  for (std::size_t begin = 0;;) {
    const std::size_t bar = std::min(pattern.find('|', begin), pattern.size());
    if (fits_one(pattern.substr(begin, bar - begin), name)) return true;
    if (bar == pattern.size()) return false;
    begin = bar + 1;
  }
}

std::string group_of(std::string_view name) {
  std::string out;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (!is_digit(name[i]))
      out += name[i];
    else if (i == 0 || !is_digit(name[i - 1]))
      out += '*';
  }
  return out;
}

}  // namespace sightline::report
