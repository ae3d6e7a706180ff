// Contact lists compared as sets with kinds. A difference is printed with the two triangles as hex floats, ready to be
// pasted into a regression test.
#pragma once

#include <cstdio>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "sightline/contact.h"
#include "sightline/mesh.h"

namespace testing_support {

/// `{{{0x1p+0, …}, {…}, {…}}}`: the text of a Corners initialiser.
inline std::string hex(const std::array<sightline::Vec3d, 3>& t) {
  std::string text = "{{";
  for (const auto& p : t) {
    char corner[128];
    std::snprintf(corner, sizeof corner, "{%a, %a, %a}%s", p[0], p[1], p[2], &p == &t[2] ? "" : ", ");
    text += corner;
  }
  return text + "}}";
}

/// Empty if both hold the same contacts with the same kinds; else what is lost, invented or of another kind. `actual`
/// must also be in canonical order without repeats: that is checked here, wherever a list is compared.
inline std::string difference(std::span<const sightline::Contact> expected, std::span<const sightline::Contact> actual,
                              std::span<const sightline::MeshView> objects, bool kinds = true) {
  using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;
  const auto key = [](const sightline::Contact& c) { return Key(c.object_a, c.object_b, c.a, c.b); };
  std::string text;
  int shown = 0, lost = 0, invented = 0, other_kind = 0;
  const auto show = [&](const char* what, const sightline::Contact& c, std::string_view kind) {
    if (++shown > 5) return;
    text += std::string(what) + " (" + std::to_string(c.object_a) + ", " + std::to_string(c.object_b) + ", " +
            std::to_string(c.a) + ", " + std::to_string(c.b) + ") " + std::string(kind) + "\n";
    if (c.object_a < objects.size() && c.a < objects[c.object_a].triangles.size())
      text += "  const Corners a = " + hex(objects[c.object_a].corners(c.a)) + ";\n";
    if (c.object_b < objects.size() && c.b < objects[c.object_b].triangles.size())
      text += "  const Corners b = " + hex(objects[c.object_b].corners(c.b)) + ";\n";
  };

  std::map<Key, sightline::Kind> have;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    if (i > 0 && !(key(actual[i - 1]) < key(actual[i]))) show("out of order or repeated", actual[i], "");
    have.emplace(key(actual[i]), actual[i].kind);
  }
  for (const auto& c : expected) {
    const auto it = have.find(key(c));
    if (it == have.end()) {
      ++lost;
      show("lost", c, to_string(c.kind));
      continue;
    }
    if (kinds && it->second != c.kind) {
      ++other_kind;
      show("other kind", c, std::string(to_string(c.kind)) + ", was given as " + std::string(to_string(it->second)));
    }
    have.erase(it);
  }
  for (const auto& c : actual)
    if (have.erase(key(c)) > 0) {
      ++invented;
      show("invented", c, to_string(c.kind));
    }
  if (!text.empty())
    text += std::to_string(lost) + " lost, " + std::to_string(invented) + " invented, " + std::to_string(other_kind) +
            " of another kind; expected " + std::to_string(expected.size()) + ", got " + std::to_string(actual.size()) +
            "\n";
  return text;
}

/// The same for a whole query that should have run to its end.
inline std::string difference(std::span<const sightline::Contact> expected, const sightline::Report& report,
                              std::span<const sightline::MeshView> objects) {
  std::string text = difference(expected, report.contacts, objects);
  if (report.found != report.contacts.size())
    text += "found is " + std::to_string(report.found) + ", the list has " + std::to_string(report.contacts.size()) +
            "\n";
  if (!report.complete || report.cancelled) text += "the report is marked as not complete\n";
  return text;
}

}  // namespace testing_support
