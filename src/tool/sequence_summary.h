// The output of `check` for a sequence: a line for each frame, and one for all of them.
#pragma once

#include "read/sequence.h"
#include "report/baseline.h"
#include "tool/options.h"

namespace sightline::tool {

class SequenceSummary {
 public:
  explicit SequenceSummary(const read::Sequence& sequence);

  std::string title() const;
  std::string frame(const std::string& label, const Report& report, const report::Triage& triage);
  /// `count` frames that could not be checked.
  std::string failed(const std::string& label, std::uint64_t count);
  std::string total() const;

  /// Contacts of each frame so far; kFailed for those that could not be checked.
  static constexpr std::uint64_t kFailed = ~std::uint64_t{0};
  const std::vector<std::uint64_t>& found() const { return found_; }

 private:
  std::string name_;
  std::uint64_t frames_ = 0;
  int width_ = 0;
  std::vector<std::uint64_t> found_;
  std::uint64_t failed_ = 0;
  std::uint64_t added_ = 0;
  bool compared_ = false;
  std::string worst_;
  std::uint64_t most_ = 0;
  std::uint64_t unsure_ = 0;  ///< frames without a finding by a method that can miss some
  bool cut_ = false;          ///< some frame may have more contacts than were counted
  double milliseconds_ = 0;
};

}  // namespace sightline::tool
