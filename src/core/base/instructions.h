// Which instruction sets this processor and its system offer, of those that vector code is compiled for (Highway's
// targets). Highway has a function for that, but its library measures the clock when a program loads it, which
// takes 3.5 ms.
#pragma once

#ifdef __x86_64__
#include <cpuid.h>
#endif

namespace sightline {

/// Each has all that Highway's target of this name may use.
struct Instructions {
  bool sse4 = false, avx2 = false, avx512 = false, avx512_dl = false;
};

inline Instructions find_instructions() {
  Instructions found;
#ifdef __x86_64__
  unsigned a, b, c, d;
  const auto has = [](unsigned word, auto... bits) { return ((word >> bits & 1) & ...) != 0; };
  if (__get_cpuid(1, &a, &b, &c, &d) == 0) return found;
  const unsigned basic = c;
  // SSE3, PCLMUL, SSSE3, SSE4.1, SSE4.2, POPCNT, AES
  found.sse4 = has(basic, 0, 1, 9, 19, 20, 23, 25);
  // OSXSAVE: then the system states which registers it saves.
  if (!found.sse4 || !has(basic, 27) || __get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return found;
  const unsigned vector = b, more = c;
  if (__get_cpuid(0x80000001u, &a, &b, &c, &d) == 0) return found;
  const unsigned extended = c;
  unsigned saved, high;
  __asm__ volatile("xgetbv" : "=a"(saved), "=d"(high) : "c"(0));
  // FMA, AVX, F16C; BMI1, AVX2, BMI2; LZCNT
  found.avx2 = has(saved, 1, 2) && has(basic, 12, 28, 29) && has(vector, 3, 5, 8) && has(extended, 5);
  // F, DQ, CD, BW, VL
  found.avx512 = found.avx2 && has(saved, 5, 6, 7) && has(vector, 16, 17, 28, 30, 31);
  // VBMI, VBMI2, GFNI, VAES, VPCLMULQDQ, VNNI, BITALG, VPOPCNTDQ
  found.avx512_dl = found.avx512 && has(more, 1, 6, 8, 9, 10, 11, 12, 14);
#endif
  return found;
}

}  // namespace sightline
