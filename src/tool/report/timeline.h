// `clash` over time: the pairs of parts that are not clear in some frame of a sequence.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "report/document.h"

namespace sightline::report {

/// What a pair of parts is in one frame. A part with itself has the relation clash, and self is set.
struct FramePair {
  std::string a, b;  ///< labels of the parts
  bool self = false;
  Relation relation = Relation::clear;
  std::uint64_t contacts = 0;
  double gap = 0;  ///< not finite: not computed

  /// The more serious of two: by relation, then by contacts, then the smaller gap.
  bool worse_than(const FramePair& other) const;
};

struct TimelineFrame {
  std::string label;
  std::string error = {};   ///< not empty: the frame could not be checked
  std::uint64_t count = 1;  ///< of frames that one error stands for
  std::uint64_t found = 0;
  double milliseconds = 0;
  std::vector<FramePair> pairs = {};
};

/// A pair over all frames.
struct PairHistory {
  FramePair worst;
  std::uint32_t worst_frame = 0;      ///< the first of equal ones
  std::vector<std::uint32_t> frames;  ///< in which it is not clear, ascending
};

class Timeline {
 public:
  void add(TimelineFrame frame);
  const std::vector<TimelineFrame>& frames() const { return frames_; }
  /// The worst first, then those of most frames, then by name.
  std::vector<PairHistory> pairs() const;

 private:
  std::vector<TimelineFrame> frames_;
  std::map<std::pair<std::string, std::string>, PairHistory> pairs_;
};

/// "3 to 14, 20"; at most `most` runs, then "…".
std::string runs_of(const std::vector<std::uint32_t>& frames, std::size_t most = 4);

/// Schema "sightline.timeline/1" (docs/json.md).
void write_timeline_json(Output& output, const Timeline& timeline, std::string_view version, std::string_view name,
                         double clearance);
/// A row for each pair (docs/tool.md).
void write_timeline_csv(Output& output, const Timeline& timeline);

}  // namespace sightline::report
