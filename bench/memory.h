// Memory that the process holds, as seen from below: malloc and its kin, and anonymous mappings, of all libraries.
#pragma once

#include <cstdint>

namespace sightline::bench {

/// From its construction on, counts what is allocated and freed anywhere in the process. One at a time; meant for a
/// fresh process, where nothing has been kept in a pool before.
class MemoryMeter {
 public:
  MemoryMeter();
  ~MemoryMeter();
  MemoryMeter(const MemoryMeter&) = delete;
  MemoryMeter& operator=(const MemoryMeter&) = delete;

  /// Largest number of bytes live at one time, above those at the start. Mappings count whole, touched or not.
  std::uint64_t peak_bytes() const;
  /// Growth of the resident set at its highest; 0 where the system does not report it. Whole pages that were touched.
  std::uint64_t peak_resident_bytes() const;

 private:
  std::uint64_t resident_at_start_ = 0;
};

}  // namespace sightline::bench
