// The JSON report, schema "sightline.report/1" (docs/json.md). Streamed: no document is built in memory.
#pragma once

#include <optional>

#include "report/triage.h"

namespace sightline::report {

inline constexpr std::string_view kJsonSchema = "sightline.report/1";

/// What `clash` adds to the contacts.
struct ClashReport {
  std::span<const Part> parts;
  std::span<const Clash> pairs;
  bool pairs_known = true;  ///< false if the query was ended before pairs could be told
  double clearance = 0;
  bool self = false;
};

class JsonWriter {
 public:
  JsonWriter(Output& output, WriteOptions options) : output_(output), options_(std::move(options)) {}

  // `check`: begin, then mesh or failed for each input in order, then end.
  void begin_check(std::string_view version);
  void mesh(const Contacts& contacts, std::size_t part, const Report& report, const Triage& triage = {});
  void failed(std::string_view file, std::string_view error);
  void end_check(const std::optional<IgnoreFacts>& ignore = {});

  // `clash`: one call.
  void clash(std::string_view version, const ClashReport& clash, const Report& report, const Triage& triage = {},
             const std::optional<IgnoreFacts>& ignore = {});

 private:
  void begin(std::string_view version, std::string_view command);
  void separate();
  void query(const Contacts& contacts, const Report& report, const Triage& triage, bool with_parts);
  void gone(const Triage& triage, bool with_parts);

  Output& output_;
  WriteOptions options_;
  bool first_ = true;
};

}  // namespace sightline::report
