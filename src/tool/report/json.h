// The JSON report, schema "sightline.report/1" (docs/json.md). Streamed: no document is built in memory.
#pragma once

#include <optional>

#include "report/baseline.h"
#include "sightline/huge.h"

namespace sightline::report {

inline constexpr std::string_view kJsonSchema = "sightline.report/1";

/// What `clash` adds to the contacts.
struct ClashReport {
  std::span<const Part> parts;
  std::span<const std::string> labels = {};  ///< of parts (report/labels.h); empty: not written
  std::span<const PartPair> pairs;
  bool pairs_known = true;  ///< false if the query ended before pairs could be classified
  double clearance = 0;
  bool self = false;
  bool has_contacts = true;  ///< false with --pairs
  double tolerance = 0;
  std::string unit = {};  ///< as Assembly::unit
};

/// A sequence of `check`, whose frames are meshes one after the other.
struct SequenceFacts {
  static constexpr std::uint64_t kFailed = ~std::uint64_t{0};
  std::string name;
  std::size_t first_mesh = 0;
  std::vector<std::uint64_t> found;  ///< contacts of each frame; kFailed: it could not be checked
};

class JsonWriter {
 public:
  /// `details`: also curves, manifolds and the normals of contacts.
  JsonWriter(Output& output, WriteOptions options, bool details = false)
      : output_(output), options_(std::move(options)), details_(details) {}

  // `check`: begin, then mesh or failed for each input in order, then end.
  void begin_check(std::string_view version);
  void mesh(const Contacts& contacts, std::size_t part, const Report& report, const Triage& triage = {});
  /// A mesh that is not in memory, and the first `most` of its contacts.
  void mesh(const Part& part, const HugeReport& report, std::uint64_t most);
  void failed(std::string_view file, std::string_view error);
  void end_check(const std::optional<IgnoreFacts>& ignore = {}, std::span<const SequenceFacts> sequences = {});

  /// The next mesh or failed is this frame of a sequence.
  struct FrameOf {
    std::size_t sequence = 0, frame = 0;
    std::string label;
  };
  void frame(FrameOf frame) { frame_ = std::move(frame); }

  // `clash`: one call.
  void clash(std::string_view version, const ClashReport& clash, const Report& report, const Triage& triage = {},
             const std::optional<IgnoreFacts>& ignore = {});
  /// The same with the first `most` contacts of a list that is not in memory.
  void clash(std::string_view version, const ClashReport& clash, const HugeReport& report, std::uint64_t most);

 private:
  /// Parts and pairs. `contacts`: all of them, for details; null if there are none.
  void parts_and_pairs(std::string_view version, const ClashReport& clash, const std::vector<Contact>* contacts);
  void query(const HugeReport& report, std::uint64_t most, bool with_parts);
  void begin(std::string_view version, std::string_view command);
  void separate();
  void append_frame(Buffer& text);
  void query(const Contacts& contacts, const Report& report, const Triage& triage, bool with_parts,
             bool has_contacts = true);
  void gone(const Triage& triage, bool with_parts);
  static void append_details(Buffer& text, const ClashReport& clash, const PartPair& pair,
                             std::span<const Contact> contacts);

  Output& output_;
  WriteOptions options_;
  bool details_;
  bool first_ = true;
  std::optional<FrameOf> frame_;
};

}  // namespace sightline::report
