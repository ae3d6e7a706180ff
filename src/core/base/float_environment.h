// The floating-point settings that every error bound in this library is derived for: round to nearest, subnormal
// numbers kept, no exception raised as a signal. A host program may run with other settings: a rounding mode of its
// own, flush-to-zero from a library built with -ffast-math, or the x87 cut to double precision.
#pragma once

#if defined(__x86_64__) || defined(__aarch64__)
#include <cstdint>
#else
#include <cfenv>
#endif

namespace sightline {

/// Sets these settings in the calling thread, and restores the caller's settings at the end, flags of past exceptions
/// included. It is used in each public function that computes or reads numbers, and around each task of a worker
/// (base/parallel.cpp).
///
/// The assembly clobbers memory. So the compiler does not move a load from memory before the settings, nor a store
/// behind their end. A value computed from arguments in registers alone would not be protected.
class FloatEnvironment {
 public:
  FloatEnvironment(const FloatEnvironment&) = delete;
  FloatEnvironment& operator=(const FloatEnvironment&) = delete;

#if defined(__x86_64__)
  FloatEnvironment() {
    if ((mxcsr_ & ~kMxcsrFlags) != kMxcsr) set_mxcsr(kMxcsr);
    if ((control_ & kControlBits) != (kControl & kControlBits)) set_x87(kControl, 0);
  }
  ~FloatEnvironment() {
    if (mxcsr() != mxcsr_) set_mxcsr(mxcsr_);
    if (control() != control_ || ((status() ^ status_) & kStatusBits) != 0) set_x87(control_, status_);
  }

 private:
  // MXCSR: six flags, denormals-are-zero, six masks, rounding, flush-to-zero.
  static constexpr std::uint32_t kMxcsr = 0x1F80, kMxcsrFlags = 0x3F;
  // x87 control word: six masks, precision, rounding; the other bits mean nothing. Status word: flags and their
  // summary.
  static constexpr std::uint16_t kControl = 0x037F, kControlBits = 0x0F3F, kStatusBits = 0x80FF;
  /// As FNSTENV writes it.
  struct X87 {
    std::uint16_t control, unused_0, status, unused_1;
    std::uint32_t rest[5];
  };
  static std::uint32_t mxcsr() {
    std::uint32_t value;
    asm volatile("stmxcsr %0" : "=m"(value) : : "memory");
    return value;
  }
  static void set_mxcsr(std::uint32_t value) { asm volatile("ldmxcsr %0" : : "m"(value) : "memory"); }
  static std::uint16_t control() {
    std::uint16_t value;
    asm volatile("fnstcw %0" : "=m"(value) : : "memory");
    return value;
  }
  static std::uint16_t status() {
    std::uint16_t value;
    asm volatile("fnstsw %0" : "=a"(value) : : "memory");
    return value;
  }
  /// FNSTENV neither raises a pending exception nor leaves one unmasked, unlike FLDCW alone.
  static void set_x87(std::uint16_t control, std::uint16_t status) {
    X87 x87;
    asm volatile("fnstenv %0" : "=m"(x87) : : "memory");
    x87.control = control;
    x87.status = static_cast<std::uint16_t>((x87.status & ~kStatusBits) | (status & kStatusBits));
    asm volatile("fldenv %0" : : "m"(x87) : "memory");
  }

  std::uint32_t mxcsr_ = mxcsr();
  std::uint16_t control_ = control(), status_ = status();
#elif defined(__aarch64__)
  // All bits of FPCR are 0 in the default settings: nearest, no flush, no traps.
  FloatEnvironment() {
    if (control_ != 0) set_control(0);
  }
  ~FloatEnvironment() {
    if (control() != control_) set_control(control_);
    if (status() != status_) set_status(status_);
  }

 private:
  static std::uint64_t control() {
    std::uint64_t value;
    asm volatile("mrs %0, fpcr" : "=r"(value) : : "memory");
    return value;
  }
  static std::uint64_t status() {
    std::uint64_t value;
    asm volatile("mrs %0, fpsr" : "=r"(value) : : "memory");
    return value;
  }
  static void set_control(std::uint64_t value) { asm volatile("msr fpcr, %0" : : "r"(value) : "memory"); }
  static void set_status(std::uint64_t value) { asm volatile("msr fpsr, %0" : : "r"(value) : "memory"); }

  std::uint64_t control_ = control(), status_ = status();
#else
  FloatEnvironment() {
    std::fegetenv(&saved_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~FloatEnvironment() { std::fesetenv(&saved_); }

 private:
  std::fenv_t saved_;
#endif
};

}  // namespace sightline
