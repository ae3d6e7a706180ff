#include "report/timeline.h"

#include <algorithm>
#include <cmath>

namespace sightline::report {
namespace {

std::string_view word(const FramePair& pair) { return pair.self ? "self" : to_string(pair.relation); }

void append_pair(Buffer& text, const FramePair& pair) {
  append_text(text, "{\"name_a\": ", pair.a);
  append_text(text, ", \"name_b\": ", pair.b);
  print(text, ", \"relation\": \"{}\", \"contacts\": {}, \"gap\": ", word(pair), pair.contacts);
  if (std::isfinite(pair.gap))
    print(text, "{}", pair.gap);
  else
    append(text, "null");
}

}  // namespace

bool FramePair::worse_than(const FramePair& other) const {
  if (relation != other.relation) return relation > other.relation;
  if (contacts != other.contacts) return contacts > other.contacts;
  return gap < other.gap;  // false if one is not a number
}

void Timeline::add(TimelineFrame frame) {
  const auto number = static_cast<std::uint32_t>(frames_.size());
  for (const FramePair& pair : frame.pairs) {
    PairHistory& history = pairs_[std::minmax(pair.a, pair.b)];
    if (history.frames.empty() || pair.worse_than(history.worst)) {
      history.worst = pair;
      history.worst_frame = number;
    }
    history.frames.push_back(number);
  }
  frames_.push_back(std::move(frame));
}

std::vector<PairHistory> Timeline::pairs() const {
  std::vector<PairHistory> list;
  for (const auto& [names, history] : pairs_) list.push_back(history);
  std::stable_sort(list.begin(), list.end(), [](const PairHistory& x, const PairHistory& y) {
    if (x.worst.relation != y.worst.relation) return x.worst.relation > y.worst.relation;
    return x.frames.size() > y.frames.size();
  });
  return list;
}

std::string runs_of(const std::vector<std::uint32_t>& frames, std::size_t most) {
  std::string text;
  std::size_t runs = 0;
  for (std::size_t i = 0; i < frames.size();) {
    std::size_t last = i;
    while (last + 1 < frames.size() && frames[last + 1] == frames[last] + 1) ++last;
    if (runs++ == most) return text + ", …";
    text += fmt::format("{}{}", text.empty() ? "" : ", ", frames[i]);
    if (last > i) text += fmt::format(" to {}", frames[last]);
    i = last + 1;
  }
  return text;
}

void write_timeline_json(Output& output, const Timeline& timeline, std::string_view version, std::string_view name,
                         double clearance) {
  Buffer text;
  print(text, "{{\n  \"schema\": \"sightline.timeline/1\",\n  \"generator\": \"sightline {}\",\n", version);
  append_text(text, "  \"name\": ", name);
  print(text, ",\n  \"clearance\": {},\n  \"frames\": [", clearance);
  for (std::size_t i = 0; i < timeline.frames().size(); ++i) {
    const TimelineFrame& frame = timeline.frames()[i];
    append_text(text, i == 0 ? "\n    {\"label\": " : ",\n    {\"label\": ", frame.label);
    if (!frame.error.empty()) {
      append_text(text, ", \"error\": ", frame.error);
      print(text, ", \"count\": {}}}", frame.count);
      continue;
    }
    print(text, ", \"found\": {}, \"pairs\": [", frame.found);
    for (std::size_t k = 0; k < frame.pairs.size(); ++k) {
      append(text, k == 0 ? "\n      " : ",\n      ");
      append_pair(text, frame.pairs[k]);
      append(text, "}");
    }
    append(text, "]}");
    output.write(text);
    text.clear();
  }
  append(text, "],\n  \"pairs\": [");
  const std::vector<PairHistory> pairs = timeline.pairs();
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    append(text, i == 0 ? "\n    " : ",\n    ");
    append_pair(text, pairs[i].worst);
    print(text, ", \"worst_frame\": {}, \"frames\": [{}]}}", pairs[i].worst_frame, fmt::join(pairs[i].frames, ", "));
  }
  append(text, "]\n}\n");
  output.write(text);
}

void write_timeline_csv(Output& output, const Timeline& timeline) {
  output.write("name_a,name_b,relation,frames,first,last,worst_frame,worst_label,contacts,gap\n");
  for (const PairHistory& history : timeline.pairs()) {
    Buffer text;
    append_csv(text, history.worst.a);
    append(text, ",");
    append_csv(text, history.worst.b);
    print(text, ",{},{},{},{},{},", word(history.worst), history.frames.size(), history.frames.front(),
          history.frames.back(), history.worst_frame);
    append_csv(text, timeline.frames()[history.worst_frame].label);
    print(text, ",{},", history.worst.contacts);
    if (std::isfinite(history.worst.gap)) print(text, "{}", history.worst.gap);
    append(text, "\n");
    output.write(text);
  }
}

}  // namespace sightline::report
