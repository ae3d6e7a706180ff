#include "report/baseline.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "report/csv.h"
#include "report/geometry.h"
#include "report/json.h"
#include "report/review.h"
#include "sightline/mesh.h"

namespace sightline::report {
namespace {

constexpr std::uint32_t kNone = 0xFFFFFFFFu;

// The report is parsed as a stream: a list of millions of contacts is never a tree of JSON values.
class Reader : public nlohmann::json_sax<nlohmann::json> {
 public:
  Reader(OldReport& out, const std::string& file) : out_(out), file_(file) {}

  void check() const {
    if (schema_ != kJsonSchema)
      throw Error(schema_.empty()
                      ? fmt::format("{}: is not a report of sightline: it has no schema", file_)
                      : fmt::format("{}: schema '{}' where '{}' is needed", file_, printable(schema_), kJsonSchema));
    if (out_.command != "check" && out_.command != "clash")
      throw Error(
          fmt::format("{}: a report of the command '{}' cannot be compared with", file_, printable(out_.command)));
    if (!complete_)
      throw Error(fmt::format(
          "{}: its list of contacts is not complete (--first, --max-contacts, or a method that can miss some)", file_));
    for (const Contact& contact : out_.contacts) check_parts(contact.object_a, contact.object_b);
    for (const PartPair& pair : out_.pairs) check_parts(pair.a, pair.b);
  }

  bool null() override {
    if (key_ == "contacts" && role() == Role::root) out_.has_contacts = false;
    return true;
  }
  bool boolean(bool value) override {
    if (key_ == "complete" && (role() == Role::part || role() == Role::root)) complete_ &= value;
    return true;
  }
  bool number_integer(number_integer_t value) override { return number(static_cast<double>(value)); }
  bool number_unsigned(number_unsigned_t value) override { return number(static_cast<double>(value)); }
  bool number_float(number_float_t value, const string_t&) override { return number(value); }
  bool string(string_t& value) override {
    const Role in = role();
    if (in == Role::root && key_ == "schema") schema_ = value;
    if (in == Role::root && key_ == "command") out_.command = value;
    if (in == Role::part && key_ == "name") out_.parts.back() = value;
    if (in == Role::part && key_ == "file") {
      out_.files.back() = std::filesystem::path(value).filename().string();
      if (out_.parts.back().empty()) out_.parts.back() = std::filesystem::path(value).stem().string();
    }
    if (in == Role::contact && key_ == "kind") contact_.kind = named(value, Kind::duplicate, "kind of contact");
    if (in == Role::pair && key_ == "relation") pair_.relation = named(value, Relation::clash, "relation of parts");
    return true;
  }
  bool binary(binary_t&) override { return true; }
  bool key(string_t& value) override {
    key_ = value;
    return true;
  }
  bool start_object(std::size_t) override {
    const Role in = role();
    const Role next = in == Role::none       ? Role::root
                      : in == Role::parts    ? Role::part
                      : in == Role::contacts ? Role::contact
                      : in == Role::pairs    ? Role::pair
                                             : Role::other;
    if (next == Role::part) {
      out_.parts.emplace_back();
      out_.files.emplace_back();
    }
    if (next == Role::contact) {
      // In a check, contacts belong to the mesh in which they stand.
      const auto mesh = static_cast<std::uint32_t>(out_.parts.empty() ? kNone : out_.parts.size() - 1);
      contact_ = {.object_a = mesh, .object_b = mesh};
      out_.outlines.start.push_back(out_.outlines.points.size());
    }
    if (next == Role::pair) pair_ = {};
    roles_.push_back(next);
    key_.clear();
    return true;
  }
  bool end_object() override {
    if (role() == Role::contact) out_.contacts.push_back(contact_);
    if (role() == Role::pair) out_.pairs.push_back(pair_);
    roles_.pop_back();
    key_.clear();
    return true;
  }
  bool start_array(std::size_t) override {
    Role next = Role::other;
    const Role in = role();
    if (in == Role::root && (key_ == "meshes" || key_ == "frames" || key_ == "parts")) next = Role::parts;
    if (in == Role::root && key_ == "pairs") next = Role::pairs;
    if ((in == Role::root || in == Role::part) && key_ == "contacts") next = Role::contacts;
    if (in == Role::contact && key_ == "points") next = Role::points;
    if (in == Role::points) {
      next = Role::point;
      out_.outlines.points.emplace_back();
      axis_ = 0;
    }
    roles_.push_back(next);
    return true;
  }
  bool end_array() override {
    roles_.pop_back();
    key_.clear();
    return true;
  }
  bool parse_error(std::size_t at, const std::string&, const nlohmann::json::exception&) override {
    throw Error(fmt::format("{}: is not JSON: error at byte {}", file_, at));
  }

 private:
  enum class Role { none, root, parts, part, pairs, pair, contacts, contact, points, point, other };
  Role role() const { return roles_.empty() ? Role::none : roles_.back(); }

  bool number(double value) {
    if (role() == Role::point) {
      if (axis_ < 3) out_.outlines.points.back()[axis_] = value;
      ++axis_;
    } else if (std::uint32_t* target = member()) {
      if (!(value >= 0 && value < 4294967295.0) || value != static_cast<double>(static_cast<std::uint32_t>(value)))
        throw Error(fmt::format("{}: {} of a contact is {}, which is not the number of a triangle or part", file_, key_,
                                value));
      *target = static_cast<std::uint32_t>(value);
    }
    return true;
  }
  // The number of a contact or pair that the key names, or null.
  std::uint32_t* member() {
    const bool pair = role() == Role::pair;
    if (!pair && role() != Role::contact) return nullptr;
    if (key_ == "part_a") return pair ? &pair_.a : &contact_.object_a;
    if (key_ == "part_b") return pair ? &pair_.b : &contact_.object_b;
    return pair ? nullptr : key_ == "a" ? &contact_.a : key_ == "b" ? &contact_.b : nullptr;
  }
  template <typename Value>
  Value named(const std::string& word, Value last, const char* what) const {
    for (int i = 0; i <= static_cast<int>(last); ++i)
      if (word == to_string(static_cast<Value>(i))) return static_cast<Value>(i);
    throw Error(fmt::format("{}: '{}' is not a {}", file_, printable(word), what));
  }
  void check_parts(std::uint32_t a, std::uint32_t b) const {
    if (std::max(a, b) >= out_.parts.size())
      throw Error(fmt::format("{}: a contact of part {}; it has {} parts", file_, std::max(a, b), out_.parts.size()));
  }

  OldReport& out_;
  const std::string& file_;
  std::vector<Role> roles_;
  std::string key_, schema_;
  bool complete_ = true;
  Contact contact_;
  PartPair pair_;
  std::size_t axis_ = 0;
};

// A contact under the old report's numbers of parts, the smaller one first.
Contact ordered(Contact key) {
  if (key.object_a > key.object_b || (key.object_a == key.object_b && key.a > key.b)) {
    std::swap(key.object_a, key.object_b);
    std::swap(key.a, key.b);
  }
  return key;
}

std::uint64_t mixed(std::uint64_t h, std::uint64_t value) {
  h = (h ^ value) * 0x9E3779B97F4A7C15u;
  return h ^ h >> 29;
}

struct KeyHash {
  std::size_t operator()(const Contact& k) const {
    std::uint64_t h = static_cast<std::uint64_t>(k.kind);
    for (const std::uint32_t value : {k.object_a, k.object_b, k.a, k.b}) h = mixed(h, value);
    return h;
  }
};

// The common points without an order: where a polygon begins depends on the order of the triangles.
std::vector<Vec3d> in_order(std::span<const Vec3d> points) {
  std::vector<Vec3d> sorted(points.begin(), points.end());
  for (Vec3d& p : sorted)
    for (double& x : p) x += 0.0;  // -0 is 0
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

std::uint64_t place_hash(const Contact& key, const std::vector<Vec3d>& points) {
  std::uint64_t h = mixed(mixed(static_cast<std::uint64_t>(key.kind), key.object_a), key.object_b);
  for (const Vec3d& p : points)
    for (const double x : p) h = mixed(h, std::bit_cast<std::uint64_t>(x));
  return h;
}

OldReport read_report(const std::filesystem::path& path) {
  const std::string text = read_text_file(path);
  if (is_page(text)) return review_report(text, printable(path.string()));
  OldReport report;
  report.file = printable(path.string());
  Reader reader(report, report.file);
  nlohmann::json::sax_parse(text, &reader);
  reader.check();
  report.outlines.start.push_back(report.outlines.points.size());
  return report;
}

// Without old contacts, those of pairs that stayed are not new.
void follow_pairs(const Contacts& contacts, std::span<const PartPair> pairs, Comparison& result) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, bool> is_new;
  for (std::size_t i = 0; i < pairs.size(); ++i) is_new[{pairs[i].a, pairs[i].b}] = result.pair_is_new[i];
  result.added = 0;
  for (std::size_t i = 0; i < contacts.list.size(); ++i) {
    const auto found = is_new.find({contacts.list[i].object_a, contacts.list[i].object_b});
    result.is_new[i] = found == is_new.end() || found->second;
    result.added += result.is_new[i];
  }
  result.stayed = contacts.list.size() - result.added;
}

}  // namespace

Baseline::Baseline(const std::filesystem::path& path, std::string_view command) : old_(read_report(path)) {
  if (old_.command != command)
    throw Error(fmt::format("{}: is a report of '{}', this is '{}'", old_.file, old_.command, command));
  // A mesh of `check` is identified by its file, too: exporters give the same name to all. Parts of an assembly are
  // identified by their names, whatever the file is called now.
  by_file_ = command == "check";
  std::map<std::string, std::size_t> count;
  for (std::uint32_t i = 0; i < old_.parts.size(); ++i) {
    const std::string key = key_of(old_.files[i], old_.parts[i]);
    number_[{key, count[key]++}] = i;
    if (by_file_) {
      files_.insert(old_.files[i]);
      names_.emplace(old_.parts[i], i);
    }
  }
  named_.resize(old_.parts.size());
}

void Baseline::drop_contacts() {
  old_.contacts.clear();
  old_.outlines = {};
}

std::string Baseline::key_of(const std::string& file, const std::string& name) const {
  return by_file_ ? file + '\0' + name : name;
}

void Baseline::add_parts(std::span<const Part> parts) {
  part_.clear();
  for (const Part& part : parts) {
    // Pages have labels.
    const std::string name = as_utf8(old_.reviewed ? part.shown_name() : part.name),
                      file = as_utf8(std::filesystem::path(part.file).filename().string());
    const std::string key = key_of(file, name);
    const auto found = number_.find({key, seen_[key]++});
    std::uint32_t number = found == number_.end() ? kNone : found->second;
    // A renamed file: identified by its mesh's name, if there was only one of that name.
    if (number == kNone && by_file_ && !files_.contains(file) && names_.count(name) == 1 &&
        !named_[names_.find(name)->second])
      number = names_.find(name)->second;
    part_.push_back(number);
    if (number != kNone) named_[number] = true;
  }
}

Comparison Baseline::compare(const Contacts& contacts, const WriteOptions& options, std::span<const PartPair> pairs) {
  std::vector<bool> mine(old_.parts.size());
  for (const std::uint32_t part : part_)
    if (part != kNone) mine[part] = true;
  // Old contacts of these parts, by triangle numbers.
  std::unordered_map<Contact, std::uint64_t, KeyHash> by_number;
  for (std::uint64_t i = 0; i < old_.contacts.size(); ++i) {
    const Contact& c = old_.contacts[i];
    if (mine[c.object_a] && mine[c.object_b]) by_number[ordered(c)] = i;
  }
  const Outlines outlines = report::outlines(contacts, options);
  const auto key_of = [&](const Contact& c) {
    return ordered({part_[c.object_a], part_[c.object_b], c.a, c.b, c.kind});
  };
  const auto old_points = [&](std::uint64_t i) { return in_order(old_.outlines.of(i)); };
  Comparison result;
  result.is_new.assign(contacts.list.size(), true);
  // 1. The same numbers at the same place. 2. The same place. 3. The same numbers. In this order, or a mesh whose
  // triangles were renumbered would be paired with the wrong contacts wherever a number happens to fit.
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < contacts.list.size(); ++i) {
    const Contact key = key_of(contacts.list[i]);
    if (key.object_b == kNone) continue;  // the larger one
    const auto found = by_number.find(key);
    if (found != by_number.end() && old_points(found->second) == in_order(outlines.of(i))) {
      result.is_new[i] = false;
      by_number.erase(found);
    } else {
      open.push_back(i);
    }
  }
  // Several old contacts can be at one place; the first of them in the report is taken first, on every machine.
  std::unordered_map<std::uint64_t, std::vector<Contact>> by_place;
  std::vector<std::pair<std::uint64_t, Contact>> left;
  if (!open.empty())
    for (const auto& [key, i] : by_number) left.emplace_back(i, key);
  std::ranges::sort(left, {}, [](const auto& entry) { return entry.first; });
  for (const auto& [i, key] : left) by_place[place_hash(key, old_points(i))].push_back(key);
  for (const std::size_t i : open) {
    const std::vector<Vec3d> points = in_order(outlines.of(i));
    const Contact key = key_of(contacts.list[i]);
    const auto here = by_place.find(place_hash(key, points));
    if (here == by_place.end()) continue;
    for (auto at = here->second.begin(); at != here->second.end(); ++at) {
      const Contact& other = *at;
      if (other.object_a != key.object_a || other.object_b != key.object_b || other.kind != key.kind) continue;
      if (old_points(by_number.at(other)) != points) continue;
      result.is_new[i] = false;
      by_number.erase(other);
      here->second.erase(at);
      break;
    }
  }
  for (const std::size_t i : open)
    if (result.is_new[i] && by_number.erase(key_of(contacts.list[i])) > 0) result.is_new[i] = false;
  for (const auto& [key, i] : by_number) result.gone.push_back(i);
  std::sort(result.gone.begin(), result.gone.end());
  result.added = static_cast<std::uint64_t>(std::count(result.is_new.begin(), result.is_new.end(), true));
  result.stayed = contacts.list.size() - result.added;

  std::map<std::pair<std::uint32_t, std::uint32_t>, Relation> relation;
  for (const PartPair& pair : old_.pairs) relation[std::minmax(pair.a, pair.b)] = pair.relation;
  std::size_t stayed = 0;
  for (const PartPair& pair : pairs) {
    const auto found = relation.find(std::minmax(part_[pair.a], part_[pair.b]));
    const bool same = found != relation.end() && found->second == pair.relation;
    result.pair_is_new.push_back(!same);
    result.pairs_added += !same;
    stayed += same;
  }
  result.pairs_gone = old_.pairs.size() - stayed;
  if (!old_.has_contacts) follow_pairs(contacts, pairs, result);
  return result;
}

std::vector<std::uint64_t> Baseline::without_part() const {
  std::vector<std::uint64_t> list;
  for (std::uint64_t i = 0; i < old_.contacts.size(); ++i)
    if (!named_[old_.contacts[i].object_a] || !named_[old_.contacts[i].object_b]) list.push_back(i);
  return list;
}

}  // namespace sightline::report
