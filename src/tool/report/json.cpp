#include "report/json.h"

#include <cmath>
#include <iterator>

#include "report/streamed.h"
#include "sightline/curves.h"
#include "sightline/depth.h"

namespace sightline::report {
namespace {

constexpr std::size_t kFlush = 1 << 16;  ///< bytes of text that are written at a time

void append_counts(Buffer& text, const std::uint64_t (&counts)[kKindCount]) {
  for (int kind = 0; kind < kKindCount; ++kind)
    print(text, "{}\"{}\": {}", kind == 0 ? "{" : ", ", to_string(static_cast<Kind>(kind)), counts[kind]);
  append(text, "}");
}

// The members of a mesh or part, without braces, up to the list of degenerate triangles.
void append_facts(Buffer& text, const Part& part, std::string_view indent) {
  append_text(text, fmt::format("{}\"file\": ", indent), part.file);
  append_text(text, fmt::format(",\n{}\"name\": ", indent), part.name);
  const Facts& facts = part.facts;
  print(text, ",\n{}\"triangles\": {}, \"vertices\": {}, \"components\": {},\n", indent, facts.triangles,
        facts.vertices, facts.components);
  print(text, "{}\"closed\": {}, \"open_edges\": {}, \"nonmanifold_edges\": {},\n", indent, facts.closed,
        facts.open_edges, facts.nonmanifold_edges);
  print(text, "{}\"duplicates\": {}, \"degenerate\": [", indent, facts.duplicates);
}

void append_stats(Buffer& text, const Stats& stats) {
  print(text, "\"stats\": {{\"milliseconds\": {:.3f}, \"device\": \"{}\", \"threads\": {}, \"simd\": \"{}\", ",
        stats.milliseconds, stats.device, stats.threads, stats.simd);
  print(text, "\"candidates\": {}, ", stats.candidates);
  print(text, "\"decided_filtered\": {}, \"decided_exact\": {}, \"peak_bytes\": {},\n    \"stages\": [",
        stats.decided_filtered, stats.decided_exact, stats.peak_bytes);
  for (std::size_t i = 0; i < stats.stages.size(); ++i) {
    const Stage& stage = stats.stages[i];
    print(text, "{}{{\"name\": \"{}\", \"milliseconds\": {:.3f}, \"count\": {}, \"unit\": \"{}\"}}", i == 0 ? "" : ", ",
          stage.name, stage.milliseconds, stage.count, stage.unit);
  }
  append(text, "]}");
}

void append_pass(Buffer& text, const Pass& pass) {
  const Vec3d& d = pass.direction;
  print(text, "{{\"level\": \"{}\", \"direction\": [{}, {}, {}], \"iteration\": {}, ", pass.level, d[0], d[1], d[2],
        pass.iteration);
  print(text, "\"elements_before\": {}, \"elements_after\": {}, \"pcs_before\": {}, \"pcs_after\": {}, ",
        pass.elements_before, pass.elements_after, pass.pcs_before, pass.pcs_after);
  print(text, "\"renders\": {}, \"queries\": {}, \"triangles\": {}, \"fragments\": {}, \"milliseconds\": {:.3f}}}",
        pass.renders, pass.queries, pass.triangles, pass.fragments, pass.milliseconds);
}

void append_penetration(Buffer& text, const Penetration& p) {
  print(text, "{{\"part_a\": {}, \"a\": {}, \"part_b\": {}, \"normal\": [{}, {}, {}], \"position\": [{}, {}, {}]}}",
        p.object_a, p.a, p.object_b, p.normal[0], p.normal[1], p.normal[2], p.position[0], p.position[1],
        p.position[2]);
}

template <typename Item>
void append_list(Buffer& text, std::string_view name, const std::vector<Item>& items,
                 void (*append_item)(Buffer&, const Item&)) {
  print(text, ",\n    \"{}\": [", name);
  for (std::size_t i = 0; i < items.size(); ++i) {
    append(text, i == 0 ? "\n      " : ",\n      ");
    append_item(text, items[i]);
  }
  append(text, "]");
}

void append_method(Buffer& text, const MethodReport& how) {
  print(text, "\"method\": {{\"name\": \"{}\", \"can_miss\": {}", to_string(how.method), how.can_miss);
  if (how.method != MethodName::exact) {
    print(text, ", \"precision\": \"{}\", \"resolution\": {}, \"pcs\": {}, \"pairs_tested\": {}",
          to_string(how.precision), how.resolution, how.pcs.size(), how.pairs_tested);
    if (how.method == MethodName::velocity) print(text, ", \"culled\": {}", how.culled);
    append_list(text, "passes", how.passes, append_pass);
    if (how.method == MethodName::cinder) {
      print(text, ",\n    \"self_interferences\": {}, \"lost\": {}, \"unbalanced\": {}", how.self_interferences,
            how.lost, how.unbalanced);
      append_list(text, "penetrations", how.penetrations, append_penetration);
    }
  }
  append(text, "},\n  ");
}

template <typename AnyContact>
void append_contact(Buffer& text, const AnyContact& contact, std::span<const Vec3d> points, bool with_parts,
                    bool is_new, const ContactNormal* normal = nullptr) {
  constexpr std::size_t kRoom = 160 + 8 * kNumberRoom, kPointRoom = 8 + 3 * kNumberRoom;
  Line line(text, kRoom + points.size() * kPointRoom);
  if (with_parts) {
    line.put("{\"part_a\":");
    line.put(std::uint64_t{contact.object_a});
    line.put(",\"part_b\":");
    line.put(std::uint64_t{contact.object_b});
  }
  line.put(with_parts ? ',' : '{');
  line.put("\"a\":");
  line.put(std::uint64_t{contact.a});
  line.put(",\"b\":");
  line.put(std::uint64_t{contact.b});
  line.put(",\"kind\":\"");
  line.put(to_string(contact.kind));
  line.put('"');
  if (is_new) line.put(",\"new\":true");
  if (normal != nullptr) {
    line.put(",\"normal\":[");
    line.put(normal->direction);
    line.put("],\"depth\":");
    line.put(normal->depth);
  }
  line.put(",\"points\":[");
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i > 0) line.put(',');
    line.put('[');
    line.put(points[i]);
    line.put(']');
  }
  line.put("]}");
}

/// null for a number that JSON does not have.
void append_finite(Buffer& text, double x) {
  if (std::isfinite(x))
    print(text, "{}", x);
  else
    append(text, "null");
}

void append_interval(Buffer& text, std::string_view name, const Interval& x) {
  print(text, "\"{}\": {{\"low\": ", name);
  append_finite(text, x.low);
  append(text, ", \"high\": ");
  append_finite(text, x.high);
  append(text, "}");
}
void append_point_member(Buffer& text, std::string_view name, const Vec3d& p) {
  print(text, "\"{}\": [", name);
  append_point(text, p);
  append(text, "]");
}

/// The members of an extent after its volume.
void append_extent(Buffer& text, const Extent& extent) {
  append_interval(text, "area", extent.area);
  if (extent.centroid) {
    append(text, ", \"centroid\": [");
    for (std::size_t k = 0; k < 3; ++k) {
      const Interval& x = (*extent.centroid)[k];
      append(text, k == 0 ? "[" : ", [");
      append_finite(text, x.low);
      append(text, ", ");
      append_finite(text, x.high);
      append(text, "]");
    }
    append(text, "]");
  }
  if (extent.low[0] <= extent.high[0]) {
    append(text, ", ");
    append_point_member(text, "low", extent.low);
    append(text, ", ");
    append_point_member(text, "high", extent.high);
  }
}

void append_part(Buffer& text, const Part& part, std::string_view indent) {
  append_facts(text, part, indent);
  print(text, "{}]", fmt::join(part.facts.degenerate, ", "));
  if (!part.self_overlap) return;
  print(text, ",\n{}\"self_overlap\": ", indent);
  if (!part.self_overlap->extent) return append(text, "null");
  append(text, "{");
  append_interval(text, "volume", part.self_overlap->extent->volume);
  append(text, ", ");
  append_extent(text, *part.self_overlap->extent);
  append(text, "}");
}

/// `are_closed`: a closed crossing curve bounds a region of overlap.
void append_curves(Buffer& text, const Curves& all, bool are_closed) {
  append(text, "\"curves\": [");
  for (std::size_t i = 0; i < all.curves.size(); ++i) {
    const Curve& curve = all.curves[i];
    print(text, "{}{{\"points\": {}, ", i == 0 ? "" : ", ", curve.points.size());
    append_interval(text, "length", curve.length);
    print(text, ", \"closed\": {}, \"crossing\": {}, \"bounds_overlap\": {}, \"area\": ", curve.closed, curve.crossing,
          are_closed && curve.closed && curve.crossing);
    append(text, curve.area == Curve::kNone ? "null}" : fmt::format("{}}}", curve.area));
  }
  append(text, "], \"areas\": [");
  for (std::size_t i = 0; i < all.areas.size(); ++i) {
    print(text, "{}{{\"contacts\": {}, ", i == 0 ? "" : ", ", all.areas[i].contacts.size());
    append_interval(text, "area", all.areas[i].area);
    append(text, "}");
  }
  print(text, "], \"single_points\": {}", all.points.size());
}

void append_manifold(Buffer& text, const Manifold& manifold) {
  append(text, ", \"manifold\": {");
  append_point_member(text, "normal", manifold.normal.direction);
  print(text, ", \"depth\": {}, \"points\": [", manifold.normal.depth);
  for (std::size_t i = 0; i < manifold.points.size(); ++i) {
    append(text, i == 0 ? "[" : ", [");
    append_point(text, manifold.points[i]);
    append(text, "]");
  }
  append(text, "]}");
}

void append_pair(Buffer& text, const PartPair& pair, bool has_contacts) {
  print(text, "{{\"part_a\": {}, \"part_b\": {}, \"relation\": \"{}\"", pair.a, pair.b, to_string(pair.relation));
  if (pair.relation == Relation::contains) print(text, ", \"inner\": {}", pair.inner);
  append(text, ", \"gap\": ");
  append_finite(text, pair.gap);
  if (pair.tolerated) append(text, ", \"tolerated\": true");
  const auto interval = [&](const char* name, const Interval& x) {
    append(text, ", ");
    append_interval(text, name, x);
  };
  const auto point = [&](const char* name, const Vec3d& p) {
    append(text, ", ");
    append_point_member(text, name, p);
  };
  if (pair.nearest) {
    point("nearest_a", (*pair.nearest)[0]);
    point("nearest_b", (*pair.nearest)[1]);
  }
  if (pair.depth) {
    interval("depth", pair.depth->depth);
    point("deepest", pair.depth->point);
    point("surface", pair.depth->nearest);
  }
  if (pair.volume) interval("volume", *pair.volume);
  if (pair.overlap) {
    append(text, ", \"overlap\": {");
    append_extent(text, *pair.overlap);
    append(text, "}");
  }
  if (pair.separation) {
    append(text, ", \"separation\": {\"translation\": [");
    append_point(text, pair.separation->translation);
    print(text, "], \"length\": {}, \"lower_bound\": {}}}", pair.separation->length, pair.separation->lower_bound);
  }
  append(text, ", \"counts\": ");
  if (has_contacts)
    append_counts(text, pair.contacts);
  else
    append(text, "null");
}

void write_ignore(Output& output, const std::optional<IgnoreFacts>& ignore) {
  if (!ignore) return;
  Buffer text;
  append_text(text, ",\n  \"ignore\": {\"file\": ", ignore->file);
  print(text, ", \"entries\": {}, \"unused_lines\": [{}]}}", ignore->entries, fmt::join(ignore->unused_lines, ", "));
  output.write(text);
}

void write_sequences(Output& output, std::span<const SequenceFacts> sequences) {
  if (sequences.empty()) return;
  Buffer text;
  append(text, ",\n  \"sequences\": [");
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    const SequenceFacts& s = sequences[i];
    std::uint64_t all = 0, with = 0, failed = 0;
    std::string list;
    for (const std::uint64_t count : s.found) {
      const bool lost = count == SequenceFacts::kFailed;
      failed += lost;
      with += !lost && count > 0;
      all += lost ? 0 : count;
      list += fmt::format("{}{}", list.empty() ? "" : ", ", lost ? "null" : fmt::format("{}", count));
    }
    append_text(text, i == 0 ? "\n  {\"name\": " : ",\n  {\"name\": ", s.name);
    print(text, ", \"first_mesh\": {}, \"frames\": {}, \"with_contacts\": {}, \"failed\": {}, \"found\": {},\n    ",
          s.first_mesh, s.found.size(), with, failed, all);
    print(text, "\"found_by_frame\": [{}]}}", list);
  }
  append(text, "]");
  output.write(text);
}

}  // namespace

void JsonWriter::begin(std::string_view version, std::string_view command) {
  Buffer text;
  print(text, "{{\n  \"schema\": \"{}\",\n  \"generator\": \"sightline {}\",\n  \"command\": \"{}\",\n", kJsonSchema,
        version, command);
  output_.write(text);
}

void JsonWriter::begin_check(std::string_view version) {
  begin(version, "check");
  output_.write("  \"meshes\": [");
}

void JsonWriter::separate() {
  output_.write(first_ ? "\n" : ",\n");
  first_ = false;
}

void JsonWriter::append_frame(Buffer& text) {
  if (!frame_) return;
  print(text, "  \"sequence\": {}, \"frame\": {}, \"label\": ", frame_->sequence, frame_->frame);
  append_json(text, frame_->label);
  append(text, ",\n");
  frame_.reset();
}

void JsonWriter::mesh(const Contacts& contacts, std::size_t part, const Report& report, const Triage& triage) {
  separate();
  Buffer text;
  append(text, "  {\n");
  append_frame(text);
  append_part(text, contacts.parts[part], "  ");
  append(text, ",\n");
  if (details_ && report.complete) {
    append(text, "  ");
    append_curves(text, curves(contacts.parts[part].mesh, contacts.list), false);
    append(text, ",\n");
  }
  output_.write(text);
  query(contacts, report, triage, false);
  output_.write("}");
}

void JsonWriter::mesh(const Part& part, const HugeReport& report, std::uint64_t most) {
  separate();
  Buffer text;
  append(text, "  {\n");
  append_facts(text, part, "  ");
  bool first = true;
  report.for_degenerate([&](std::uint64_t triangle) {
    if (!std::exchange(first, false)) append(text, ", ");
    append_number(text, triangle);
    if (text.size() > kFlush) output_.write(text), text.clear();
    return true;
  });
  append(text, "],\n");
  output_.write(text);
  query(report, most, false);
  output_.write("}");
}

void JsonWriter::query(const HugeReport& report, std::uint64_t most, bool with_parts) {
  const std::uint64_t count = std::min(most, report.found);
  Buffer text;
  print(text, "  \"found\": {}, \"complete\": {}, \"counts\": ", report.found, count == report.found);
  append_counts(text, count_kinds(report, count).of);
  append(text, ",\n  ");
  append_method(text, {});
  append_stats(text, report.stats);
  append(text, ",\n  \"contacts\": [\n");
  output_.write(text);
  write_contacts(output_, report, count, options_, [&] {
    return [&](std::uint64_t i, const HugeContact& contact, Buffer& bytes) {
      append_contact(bytes, contact, contact.geometry.points(), with_parts, false);
      append(bytes, i + 1 < count ? ",\n" : "\n");
    };
  });
  output_.write("  ]");
}

void JsonWriter::append_details(Buffer& text, const ClashReport& clash, const PartPair& pair,
                                std::span<const Contact> contacts) {
  const auto key = [](const Contact& c) { return std::pair(c.object_a, c.object_b); };
  const auto first = std::ranges::lower_bound(contacts, std::pair(pair.a, pair.b), {}, key);
  const auto last = std::ranges::upper_bound(contacts, std::pair(pair.a, pair.b), {}, key);
  const std::span<const Contact> own(first, last);
  if (own.empty()) return;
  const Part &a = clash.parts[pair.a], &b = clash.parts[pair.b];
  append(text, ", ");
  append_curves(text, curves(a.mesh, b.mesh, own), a.facts.closed && b.facts.closed);
  append_manifold(text, manifold(a.mesh, b.mesh, own));
}

void JsonWriter::failed(std::string_view file, std::string_view error) {
  separate();
  Buffer text;
  append(text, "  {\n");
  append_frame(text);
  append_text(text, "  \"file\": ", file);
  append_text(text, ",\n  \"error\": ", error);
  append(text, "}");
  output_.write(text);
}

void JsonWriter::end_check(const std::optional<IgnoreFacts>& ignore, std::span<const SequenceFacts> sequences) {
  output_.write("\n  ]");
  write_sequences(output_, sequences);
  write_ignore(output_, ignore);
  output_.write("\n}\n");
}

void JsonWriter::clash(std::string_view version, const ClashReport& clash, const Report& report, const Triage& triage,
                       const std::optional<IgnoreFacts>& ignore) {
  parts_and_pairs(version, clash, details_ && report.complete ? &report.contacts : nullptr);
  query({clash.parts, report.contacts}, report, triage, true, clash.has_contacts);
  write_ignore(output_, ignore);
  output_.write("\n}\n");
}

void JsonWriter::clash(std::string_view version, const ClashReport& clash, const HugeReport& report,
                       std::uint64_t most) {
  parts_and_pairs(version, clash, nullptr);
  query(report, most, true);
  output_.write("\n}\n");
}

void JsonWriter::parts_and_pairs(std::string_view version, const ClashReport& clash,
                                 const std::vector<Contact>* contacts) {
  begin(version, "clash");
  Buffer text;
  print(text, "  \"clearance\": {},\n  \"tolerance\": {},\n  \"unit\": ", clash.clearance, clash.tolerance);
  if (clash.unit.empty())
    append(text, "null");
  else
    append_json(text, clash.unit);
  print(text, ",\n  \"self\": {},\n  \"parts\": [\n", clash.self);
  output_.write(text);
  write_each(output_, clash.parts.size(), options_, [&](std::size_t i, Buffer& bytes) {
    append(bytes, "  {\n");
    append_part(bytes, clash.parts[i], "    ");
    if (!clash.labels.empty()) append_text(bytes, ",\n    \"label\": ", clash.labels[i]);
    append(bytes, i + 1 < clash.parts.size() ? "},\n" : "}");
  });
  output_.write(clash.pairs_known ? "\n  ],\n  \"pairs\": [\n" : "\n  ],\n  \"pairs\": null,\n");
  if (clash.pairs_known) {
    write_each(output_, clash.pairs.size(), options_, [&](std::size_t i, Buffer& bytes) {
      append(bytes, "    ");
      append_pair(bytes, clash.pairs[i], clash.has_contacts);
      if (contacts != nullptr) append_details(bytes, clash, clash.pairs[i], *contacts);
      append(bytes, "}");
      append(bytes, i + 1 < clash.pairs.size() ? ",\n" : "\n");
    });
    output_.write("  ],\n");
  }
}

// Contacts of the baseline that are gone. Their parts are named, since the part numbers of the old report are not those
// of this run.
void JsonWriter::gone(const Triage& triage, bool with_parts) {
  const Comparison& c = triage.comparison;
  Buffer text;
  append_text(text, "\"baseline\": {\"file\": ", triage.old->file);
  print(text, ", \"new\": {}, \"stayed\": {}, \"gone\": {}, ", c.added, c.stayed, c.gone.size());
  if (with_parts) print(text, "\"pairs_new\": {}, \"pairs_gone\": {}, ", c.pairs_added, c.pairs_gone);
  append(text, "\"gone_contacts\": [");
  output_.write(text);
  write_each(output_, c.gone.size(), options_, [&](std::size_t i, Buffer& bytes) {
    const Contact& old = triage.old->contacts[c.gone[i]];
    append_text(bytes, i == 0 ? "\n{\"name_a\":" : ",\n{\"name_a\":", triage.old->parts[old.object_a]);
    append_text(bytes, ",\"name_b\":", triage.old->parts[old.object_b]);
    append(bytes, ",\"contact\":");
    append_contact(bytes, old, triage.old->outlines.of(c.gone[i]), false, false);
    append(bytes, "}");
  });
  output_.write("]},\n  ");
}

void JsonWriter::query(const Contacts& contacts, const Report& report, const Triage& triage, bool with_parts,
                       bool has_contacts) {
  Buffer text;
  if (has_contacts) {
    print(text, "  \"found\": {}, \"complete\": {}, \"counts\": ", report.found, report.complete);
    append_counts(text, count_kinds(contacts.list).of);
  } else {
    print(text, "  \"found\": null, \"complete\": {}, \"counts\": null", report.complete);
  }
  append(text, ",\n  ");
  if (triage.ignoring) print(text, "\"ignored\": {},\n  ", triage.ignored);
  output_.write(text);
  text.clear();
  if (triage.old != nullptr) gone(triage, with_parts);
  append_method(text, report.method);
  append_stats(text, report.stats);
  append(text, has_contacts ? ",\n  \"contacts\": [\n" : ",\n  \"contacts\": null");
  output_.write(text);
  if (!has_contacts) return;
  const std::size_t count = contacts.list.size();
  write_items(output_, count, options_, [&](std::size_t begin, std::size_t end, Buffer& bytes) {
    contacts.each_geometry(begin, end, [&](std::size_t i, const Intersection& geometry) {
      const Contact& contact = contacts.list[i];
      std::optional<ContactNormal> normal;
      if (details_)
        normal =
            contact_normal(contacts.mesh_a(contact).corners(contact.a), contacts.mesh_b(contact).corners(contact.b));
      append_contact(bytes, contact, geometry.points(), with_parts,
                     triage.old != nullptr && triage.comparison.is_new[i], normal ? &*normal : nullptr);
      append(bytes, i + 1 < count ? ",\n" : "\n");
    });
  });
  output_.write("  ]");
}

}  // namespace sightline::report
