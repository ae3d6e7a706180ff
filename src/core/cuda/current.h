// CUDA's current device, its streams and its events, as values.
#pragma once

#include "cuda/check.h"
#include "cuda/device.h"

namespace sightline::cuda {

/// A GPU by number, or the one that is current at construction; throws Error if there is none.
class HomeDevice {
 public:
  HomeDevice() {
    if (!missing().empty()) throw Error("cuda: " + missing());
    SIGHTLINE_CUDA(cudaGetDevice(&device_));
  }
  explicit HomeDevice(int number) : device_(number) {
    if (!missing().empty()) throw Error("cuda: " + missing());
  }
  /// Makes the GPU current during the lifetime of the object: the caller's thread may use another one.
  class Visit {
   public:
    explicit Visit(const HomeDevice& home) {
      SIGHTLINE_CUDA(cudaGetDevice(&before_));
      if (before_ == home.device_) return;
      SIGHTLINE_CUDA(cudaSetDevice(home.device_));
      left_ = true;
    }
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;
    ~Visit() {
      if (left_) cudaSetDevice(before_);
    }

   private:
    int before_ = 0;
    bool left_ = false;
  };

 private:
  int device_ = 0;
};

class Stream {
 public:
  Stream() { SIGHTLINE_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { cudaStreamDestroy(stream_); }
  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

class Event {
 public:
  explicit Event(unsigned flags = cudaEventDefault) { SIGHTLINE_CUDA(cudaEventCreateWithFlags(&event_, flags)); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { cudaEventDestroy(event_); }
  operator cudaEvent_t() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace sightline::cuda
