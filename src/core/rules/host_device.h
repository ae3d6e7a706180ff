// Marks for functions that both the host and the CUDA device compile. Such functions neither allocate nor throw.
#pragma once

// Functions marked cold stay calls on the device, and loops over limbs stay loops: unrolled and inlined, the widest
// integers (102 limbs) took nvcc more than 100 s for one kernel.
#ifdef __CUDACC__
#define SIGHTLINE_HD __host__ __device__
#define SIGHTLINE_HD_COLD __host__ __device__ __noinline__
#else
#define SIGHTLINE_HD
#define SIGHTLINE_HD_COLD
#endif
#ifdef __CUDA_ARCH__
#define SIGHTLINE_ROLLED _Pragma("unroll 1")
#else
#define SIGHTLINE_ROLLED
#endif
