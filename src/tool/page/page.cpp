// The bytes of a frame, in order (viewer/src/frame.js reads them):
//   1. triangles that are here: count; for each part or coarse copy its number, whether it is coarse, how
//      many triangles are shown and of how many, their numbers if not all are shown, vertices, corners
//   2. pieces: count; for each the number of its triangles, and how many frames back its positions are (0: here, and
//      then their bytes)
//   3. the positions that are here
//   4. contacts (contacts.cpp)
//   5. the passes of a method: for each part runs of equal numbers
//   6. flaws of the meshes (flaws.h), in pages without motion
// What did not change is not written again, but a frame refers to at most kMostReferences other frames, and 1 and 3 can
// be read without any other frame. So the viewer unpacks a bounded number of frames to show one.
// Names, labels and all text of the page are in a JSON document at the end of the page, packed like the rest: for an
// assembly of 8,000 parts it has 1.7 MB.
#include "page/page.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "mesh/weld.h"
#include "page/flaws.h"
#include "page/frame.h"

namespace sightline::report {

// A piece of the page's model: what is shown of a part, or its coarse copy.
struct PagePiece {
  PageBytes triangles, positions;  // to see whether they changed
  std::size_t number = 0;          // of the triangles, over the whole page
  std::size_t triangle_frame = 0;  // that has the triangles
  std::size_t frame = 0;           // that has the positions
};

namespace {

// The data of all frames of a page together: some 200 MB.
constexpr std::size_t kTriangleFrames = 64'000'000;
constexpr std::size_t kContactFrames = 4'000'000;
constexpr std::size_t kLeastTriangles = 20'000;
constexpr std::size_t kLeastContacts = 5'000;
constexpr std::size_t kMostPairs = 20'000;
constexpr std::size_t kMostFlaws = 1'000;
constexpr std::size_t kMostReferences = 16;

// The data of a frame in bytes: less than 30 a triangle of it, or the size of the viewer itself, divided among the
// frames. The model comes first. If the contacts would take more, they are stored with less precision, and then their
// list is cut.
constexpr std::size_t kBytesPerTriangle = 29;
constexpr std::size_t kLeastBytes = 600'000;
constexpr std::size_t kLeastFrameBytes = 60'000;
constexpr std::size_t kFewestContacts = 100;
constexpr int kFine = 14, kLessFine = 11;  // steps of an edge, in bits: at 11 a step is a pixel in a view of that edge

// Text that stands between tags. Controls are left out, bytes that are not UTF-8 become U+FFFD.
void append_html(Buffer& text, std::string_view value) {
  while (!value.empty()) {
    const CodePoint c = next_code_point(value);
    if (!c.valid)
      append(text, "\xEF\xBF\xBD");
    else if (c.value == '<' || c.value == '>' || c.value == '&' || c.value == '"')
      print(text, "&#{};", static_cast<unsigned>(c.value));
    else if (c.value >= 0x20 && c.value != 0x7F)
      append(text, value.substr(0, c.bytes));
    value.remove_prefix(c.bytes);
  }
}

void append_number(Buffer& text, double value) {
  if (std::isfinite(value))
    print(text, "{}", value);
  else
    append(text, "null");
}

void append_counts(Buffer& text, const std::uint64_t (&counts)[kKindCount]) {
  print(text, "[{}]", fmt::join(counts, ","));
}

void append_strings(Buffer& text, std::string_view name, const std::vector<std::string>& values) {
  print(text, ",\n\"{}\":[", name);
  for (std::size_t i = 0; i < values.size(); ++i) {
    append_text(text, i == 0 ? "" : ",", values[i]);
  }
  append(text, "]");
}

// Contacts of each part that has some, where the page cannot count them.
void append_part_counts(Buffer& text, std::span<const Contact> contacts) {
  std::map<std::uint32_t, std::uint64_t> counts;
  for (const Contact& contact : contacts) {
    ++counts[contact.object_a];
    if (contact.object_b != contact.object_a) ++counts[contact.object_b];
  }
  append(text, ",\"partContacts\":[");
  bool first = true;
  for (const auto& [part, count] : counts)
    print(text, "{}[{},{}]", std::exchange(first, false) ? "" : ",", part, count);
  append(text, "]");
}

// Volume and area of the overlap, where they are known.
void append_overlap(Buffer& text, std::span<const Overlaps::Pair> overlaps, const PartPair& pair) {
  const auto key = [](const Overlaps::Pair& one) { return std::pair(one.a, one.b); };
  const auto found = std::ranges::lower_bound(overlaps, std::pair(pair.a, pair.b), {}, key);
  if (found == overlaps.end() || key(*found) != std::pair(pair.a, pair.b)) {
    append(text, ",null,null");
    return;
  }
  append(text, ",");
  append_number(text, found->extent.volume.middle());
  append(text, ",");
  append_number(text, found->extent.area.middle());
}

// What was measured of a pair: whether it is tolerated, the depth with the deepest point and the nearest point of the
// other surface, the translation of part a that ends the contact, the two points of the gap.
void append_measures(Buffer& text, const PartPair& pair) {
  if (!pair.tolerated && !pair.depth && !pair.separation && !pair.nearest) return;
  const auto point = [&](const char* name, const Vec3d& p) { print(text, ",\"{}\":[{}]", name, fmt::join(p, ",")); };
  print(text, ",{{\"tolerated\":{}", pair.tolerated);
  if (pair.depth) {
    append(text, ",\"depth\":[");
    append_number(text, pair.depth->depth.low);
    append(text, ",");
    append_number(text, pair.depth->depth.high);
    append(text, "]");
    point("deepest", pair.depth->point);
    point("surface", pair.depth->nearest);
  }
  if (pair.separation && pair.separation->length > 0 && std::isfinite(pair.separation->length))
    point("way", pair.separation->translation);
  if (pair.nearest) {
    point("from", (*pair.nearest)[0]);
    point("to", (*pair.nearest)[1]);
  }
  append(text, "}");
}

// How many pairs have which relation: the list of pairs can be cut.
void append_relations(Buffer& text, std::span<const PartPair> pairs) {
  std::map<std::string_view, std::size_t> counts;
  for (const PartPair& pair : pairs) ++counts[to_string(pair.relation)];
  append(text, ",\"relations\":{");
  bool first = true;
  for (const auto& [name, count] : counts)
    print(text, "{}\"{}\":{}", std::exchange(first, false) ? "" : ",", name, count);
  append(text, "}");
}

// References to frames before this one are written again: the oldest of more than kMostReferences.
std::size_t oldest_reference(std::span<const PagePiece> pieces) {
  std::set<std::size_t, std::greater<>> frames;
  for (const PagePiece& piece : pieces) {
    if (piece.triangles.size() == 0) continue;
    frames.insert({piece.triangle_frame, piece.frame});
  }
  if (frames.size() <= kMostReferences) return 0;
  return *std::next(frames.begin(), kMostReferences - 1);
}

std::size_t length(std::span<const std::string> texts) {
  std::size_t sum = 0;
  for (const std::string& text : texts) sum += text.size();
  return sum;
}

// Vertices that lie at the same place become one, where a file repeats them for each triangle.
std::vector<std::uint32_t> welded(const MeshView& mesh) {
  if (mesh.positions.size() < mesh.triangles.size() + mesh.triangles.size() / 2) return {};
  return mesh.positions.is_double() ? weld(mesh.positions.f64()) : weld(mesh.positions.f32());
}

}  // namespace

struct PageWriter::State {
  State(Output& to, const PageShell& in, PageInfo about, WriteOptions how, const PageLimits& most)
      : output(to), shell(in), info(std::move(about)), options(std::move(how)), limits(most) {}

  Output& output;
  PageShell shell;
  PageInfo info;
  WriteOptions options;
  PageLimits limits;
  std::size_t frames = 0;
  std::size_t triangle_sets = 0, first_set = 0;  // of the page so far, and before this frame
  std::vector<PagePiece> pieces;                 // two for each part: itself and its coarse copy
  std::vector<Part> parts;                       // without meshes
  Buffer frames_json;
  Box all;  // of all frames

  std::size_t expected() const { return std::max<std::size_t>({1, info.expected_frames, frames}); }
  // The room of one frame.
  std::size_t share(std::size_t most, std::size_t over_frames, std::size_t least) const {
    return std::min(most, std::max(least, over_frames / expected()));
  }

  void remember(std::span<const Part> given) {
    parts.resize(std::max(parts.size(), given.size()));
    pieces.resize(2 * parts.size());
    for (std::size_t i = 0; i < given.size(); ++i) {
      all.add(box_of(given[i].mesh));
      if (parts[i].name.empty()) parts[i].name = given[i].name;
      if (parts[i].file.empty()) parts[i].file = given[i].file;
      Facts& facts = parts[i].facts;
      if (facts.triangles > 0) continue;  // the facts are those of the part's first frame
      facts = given[i].facts;
      if (facts.triangles == 0) facts.triangles = given[i].mesh.triangles.size();
    }
  }

  struct Bytes {
    PageBytes triangles, table, positions;
    std::size_t oldest = 0;  // reference to another frame
    std::size_t new_triangles = 0, count = 0;
    std::vector<PlacedPart> placed;
  };

  // `shown` is null where all triangles are.
  void add_piece(Bytes& bytes, std::size_t part, bool coarse, const MeshView& mesh,
                 const std::vector<std::uint32_t>* shown, std::size_t of) {
    const std::size_t count = shown != nullptr ? shown->size() : mesh.triangles.size();
    if (count == 0) return;
    std::vector<std::uint32_t> same = welded(mesh);
    PageBytes own;
    own.reserve(count * 4);
    own.varint(part);
    own.byte(coarse ? 1 : 0);
    own.varint(count);
    own.varint(of);
    if (shown != nullptr) {
      std::uint32_t before = 0;
      for (const std::uint32_t triangle : *shown) {
        own.varint(triangle - before);
        before = triangle;
      }
    }
    FirstUse order(mesh.positions.size());
    PageBytes corners;
    corners.reserve(count * 4);
    std::vector<bool> loose;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t before = loose.size();
      for (const std::uint32_t vertex : mesh.triangles[shown != nullptr ? (*shown)[i] : i])
        corners.varint(order.code(same.empty() ? vertex : same[vertex]));
      loose.resize(order.order().size());
      if (loose.size() == before + 3) loose[before] = true;
    }
    own.varint(order.order().size());
    own.append(corners);

    std::vector<Vec3d> points;
    points.reserve(order.order().size());
    for (const std::uint32_t vertex : order.order()) points.push_back(mesh.position(vertex));
    PageBytes positions;
    positions.reserve(points.size() * 6 + 48);
    const Box box = append_quantised(positions, points, loose);
    if (!coarse) bytes.placed[part] = {box, std::move(same)};

    PagePiece& piece = pieces[2 * part + (coarse ? 1 : 0)];
    const bool keep_triangles = piece.triangles == own && piece.triangle_frame >= bytes.oldest;
    if (!keep_triangles) {
      bytes.triangles.append(own);
      ++bytes.new_triangles;
      piece.number = triangle_sets++;
      piece.triangle_frame = frames;
    }
    // Positions are found by the number of their triangles.
    const bool keep_positions = keep_triangles && piece.positions == positions && piece.frame >= bytes.oldest;
    if (!keep_positions) {
      bytes.positions.append(positions);
      piece.frame = frames;
    }
    bytes.table.varint(piece.number);
    bytes.table.varint(frames - piece.frame);
    if (piece.frame == frames) bytes.table.varint(positions.size());
    ++bytes.count;
    // A page of one frame has nothing to compare with.
    if (info.expected_frames > 1)
      piece = {std::move(own), std::move(positions), piece.number, piece.triangle_frame, piece.frame};
  }

  std::vector<PlacedPart> append_model(PageBytes& all, std::span<const Part> given, const Shown& shown) {
    Bytes bytes;
    bytes.placed.resize(given.size());
    bytes.oldest = oldest_reference(pieces);
    for (std::size_t i = 0; i < given.size(); ++i) {
      const ShownPart& part = shown.parts[i];
      const std::size_t of = given[i].mesh.triangles.size();
      add_piece(bytes, i, false, given[i].mesh, part.all ? nullptr : &part.triangles, of);
      add_piece(bytes, i, true, {part.coarse_positions, part.coarse_triangles}, nullptr, part.coarse_triangles.size());
      if (options.cancel && options.cancel()) throw Cancelled{};
    }
    all.varint(bytes.new_triangles);
    all.append(bytes.triangles);
    all.varint(bytes.count);
    all.append(bytes.table);
    all.append(bytes.positions);
    return std::move(bytes.placed);
  }

  void append_pruning(PageBytes& all, std::span<const Part> given, const PagePruning* pruning) {
    std::vector<std::size_t> with;
    for (std::size_t i = 0; pruning != nullptr && i < std::min(given.size(), pruning->dropped_by.size()); ++i) {
      if (pruning->dropped_by[i].empty()) continue;
      if (pruning->dropped_by[i].size() != given[i].mesh.triangles.size())
        throw Error(fmt::format("report page: part {} has {} triangles, but passes are given for {}", i,
                                given[i].mesh.triangles.size(), pruning->dropped_by[i].size()));
      with.push_back(i);
    }
    all.varint(with.size());
    for (const std::size_t part : with) {
      const std::vector<std::uint16_t>& dropped = pruning->dropped_by[part];
      all.varint(part);
      all.varint(dropped.size());
      for (std::size_t begin = 0, end; begin < dropped.size(); begin = end) {
        for (end = begin + 1; end < dropped.size() && dropped[end] == dropped[begin];) ++end;
        all.varint(static_cast<std::uint16_t>(dropped[begin] + 2));  // stays: 1, never: 0
        all.varint(end - begin);
      }
    }
  }

  void append_frame(const PageFrame& frame, const Shown& shown, const Clusters& clusters, std::uint64_t listed);
};

PageWriter::PageWriter(Output& output, const PageShell& shell, PageInfo info, WriteOptions options, PageLimits limits)
    : state_(new State(output, shell, std::move(info), std::move(options), limits)) {
  output.write(shell.before_title);
  Buffer title;
  append_html(title, state_->info.title);
  output.write(title);
  output.write(shell.before_data);
}

PageWriter::~PageWriter() = default;

void PageWriter::add_note(std::string sentence) { state_->info.notes.push_back(std::move(sentence)); }

void PageWriter::set_up(int axis) { state_->info.up = axis; }

void PageWriter::set_unit(std::string unit) { state_->info.unit = std::move(unit); }

void PageWriter::State::append_frame(const PageFrame& frame, const Shown& shown, const Clusters& clusters,
                                     std::uint64_t listed) {
  Buffer& text = frames_json;
  std::uint64_t triangles = 0, parts_here = 0;
  for (const Part& part : frame.parts) {
    triangles += part.mesh.triangles.size();
    parts_here += !part.mesh.triangles.empty();
  }
  append_text(text, frames == 0 ? "\n{\"label\":" : ",\n{\"label\":", frame.label);
  append_text(text, ",\"error\":", frame.error);
  if (info.independent) {
    print(text, ",\"up\":{}", frame.up);
    append_text(text, ",\"unit\":", frame.unit);
  }
  print(text, ",\"firstSet\":{}", first_set);
  print(text, ",\"found\":{},\"contacts\":{},\"listed\":{},\"clusters\":{},\"complete\":{},\"canMiss\":{},\"counts\":",
        std::max<std::uint64_t>(frame.found, frame.contacts.size()), frame.contacts.size(), listed,
        clusters.list.size(), frame.complete, frame.can_miss);
  append_counts(text, count_kinds(frame.contacts).of);
  print(text, ",\"milliseconds\":{:.3f},\"triangles\":{},\"parts\":{},\"shown\":{},\"within\":", frame.milliseconds,
        triangles, parts_here, shown.triangles);
  append_number(text, shown.within.value_or(std::nan("")));
  print(text, ",\"pairsKnown\":{},\"pairCount\":{},\"pairs\":[", frame.pairs_known, frame.pairs.size());
  for (std::size_t i = 0; i < std::min(kMostPairs, frame.pairs.size()); ++i) {
    const PartPair& pair = frame.pairs[i];
    print(text, "{}[{},{},\"{}\",{},", i == 0 ? "" : ",", pair.a, pair.b, to_string(pair.relation), pair.inner);
    append_number(text, pair.gap);
    append(text, ",");
    append_counts(text, pair.contacts);
    append(text, frame.pair_is_new != nullptr && (*frame.pair_is_new)[i] ? ",true" : ",false");
    append_overlap(text, frame.overlaps, pair);
    append_measures(text, pair);
    append(text, "]");
  }
  append(text, "]");
  append_relations(text, frame.pairs);
  if (listed < frame.contacts.size()) append_part_counts(text, frame.contacts);
  if (frame.is_new != nullptr)
    print(text, ",\"baseline\":{{\"new\":{},\"stayed\":{},\"gone\":{}}}", frame.added, frame.stayed, frame.gone);
  if (frame.pruning != nullptr) {
    append_text(text, ",\"pruning\":{\"method\":", frame.pruning->method);
    append(text, ",\"passes\":[");
    for (std::size_t i = 0; i < frame.pruning->passes.size(); ++i) {
      const PagePruning::PassInfo& pass = frame.pruning->passes[i];
      append_text(text, i == 0 ? "[" : ",[", pass.label);
      print(text, ",{},{},{:.3f}]", pass.before, pass.after, pass.milliseconds);
    }
    append(text, "]}");
  }
  append(text, "}");
}

void PageWriter::frame(const PageFrame& frame) {
  State& state = *state_;
  state.first_set = state.triangle_sets;
  state.remember(frame.parts);
  if (frame.is_new != nullptr && frame.is_new->size() != frame.contacts.size())
    throw Error(
        fmt::format("report page: {} contacts, but {} are compared", frame.contacts.size(), frame.is_new->size()));
  if (frame.pair_is_new != nullptr && frame.pair_is_new->size() != frame.pairs.size())
    throw Error(
        fmt::format("report page: {} pairs, but {} are compared", frame.pairs.size(), frame.pair_is_new->size()));
  const Contacts contacts = {frame.parts, frame.contacts};
  const Outlines outline = outlines(contacts, state.options);
  const Clusters groups = clusters(contacts, outline);
  const Shown shown = reduce(contacts, outline, state.share(state.limits.triangles, kTriangleFrames, kLeastTriangles));
  PageBytes model, passes;
  const std::vector<PlacedPart> placed = state.append_model(model, frame.parts, shown);
  state.append_pruning(passes, frame.parts, frame.pruning);
  const bool moves = state.expected() > 1 && !state.info.independent;
  append_flaws(passes, moves ? std::vector<Flaw>() : find_flaws(frame.parts, kMostFlaws));
  const std::vector<std::string> model_text = packed(model.all(), state.options);
  const std::vector<std::string> passes_text = packed(passes.all(), state.options);

  std::size_t room = std::max({kLeastFrameBytes, kLeastBytes / state.expected(), shown.triangles * kBytesPerTriangle});
  room -= std::min(room, length(model_text) + length(passes_text));
  std::vector<std::string> contacts_text;
  std::size_t most = state.share(state.limits.contacts, kContactFrames, kLeastContacts);
  std::uint64_t listed = 0;
  for (int bits = kFine;; bits = kLessFine) {
    PageBytes bytes;
    listed = append_contacts(bytes, contacts, outline, groups, shown, placed, most, bits, frame.is_new);
    contacts_text = packed(bytes.all(), state.options);
    const std::size_t size = length(contacts_text);
    if (size <= room || most <= kFewestContacts) break;
    if (bits == kFine) continue;
    most = std::max(kFewestContacts,
                    std::min<std::size_t>(listed - 1, static_cast<std::size_t>(0.98 * listed * room / size)));
  }

  Buffer open;
  print(open, "<script type=\"application/octet-stream\" id=\"frame{}\">", state.frames);
  state.output.write(open);
  for (const std::span<const std::string> texts :
       std::initializer_list<std::span<const std::string>>{model_text, contacts_text, passes_text})
    for (const std::string& text : texts) state.output.write(text);
  state.output.write("</script>\n");
  state.append_frame(frame, shown, groups, listed);
  ++state.frames;
}

void PageWriter::finish() {
  State& state = *state_;
  Buffer json;
  append_text(json, "{\"schema\":\"sightline.page/1\",\"title\":", state.info.title);
  append_text(json, ",\"command\":", state.info.command);
  append_text(json, ",\"version\":", state.info.version);
  append_text(json, ",\"unit\":", state.info.unit);
  print(json, ",\"up\":{},\"clearance\":{},\"framesPerSecond\":{},\"independent\":{}", state.info.up,
        state.info.clearance, state.info.frames_per_second, state.info.independent);
  print(json, ",\"low\":[{}],\"high\":[{}]", fmt::join(finite(state.all).low, ","),
        fmt::join(finite(state.all).high, ","));
  append_text(json, ",\"baseline\":", state.info.baseline);
  append_strings(json, "errors", state.info.errors);
  append_strings(json, "notes", state.info.notes);
  append(json, ",\n\"parts\":[");
  for (std::size_t i = 0; i < state.parts.size(); ++i) {
    const Part& part = state.parts[i];
    append_text(json, i == 0 ? "\n{\"name\":" : ",\n{\"name\":", part.name);
    append_text(json, ",\"file\":", part.file);
    const Facts& facts = part.facts;
    print(json,
          ",\"triangles\":{},\"vertices\":{},\"components\":{},\"closed\":{},\"openEdges\":{},\"nonmanifold\":{},"
          "\"degenerate\":{}}}",
          facts.triangles, facts.vertices, facts.components, facts.closed, facts.open_edges, facts.nonmanifold_edges,
          facts.degenerate.size());
  }
  append(json, "],\n\"frames\":[");
  append(json, {state.frames_json.data(), state.frames_json.size()});
  append(json, "]}");
  state.output.write("<script type=\"application/octet-stream\" id=\"page\">");
  for (const std::string& text :
       packed({reinterpret_cast<const std::uint8_t*>(json.data()), json.size()}, state.options))
    state.output.write(text);
  state.output.write("</script>\n");
  state.output.write(state.shell.after_data);
}

}  // namespace sightline::report
