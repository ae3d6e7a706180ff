// CUDA's current device, its streams, events and graphs, as values.
#pragma once

#include <deque>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "cuda/check.h"
#include "cuda/device.h"
#include "sightline/contact.h"

namespace sightline::cuda {

/// A GPU by number, or the one that is current at construction; throws Error if there is none.
class HomeDevice {
 public:
  HomeDevice() : HomeDevice(0) { SIGHTLINE_CUDA(cudaGetDevice(&device_)); }
  explicit HomeDevice(int number) : device_(number) { require_gpu(number); }
  int number() const { return device_; }
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

/// Events between the stages, if stage times are measured.
class StageTimes {
 public:
  StageTimes(bool wanted, cudaStream_t stream) : wanted_(wanted), stream_(stream) { mark(""); }
  bool wanted() const { return wanted_; }
  void mark(std::string_view name) {
    if (!wanted_) return;
    names_.push_back(name);
    SIGHTLINE_CUDA(cudaEventRecord(events_.emplace_back(), stream_));
  }
  std::vector<Stage> stages() const {
    std::vector<Stage> list;
    for (std::size_t i = 1; i < events_.size(); ++i) {
      float ms = 0;
      SIGHTLINE_CUDA(cudaEventSynchronize(events_[i]));
      SIGHTLINE_CUDA(cudaEventElapsedTime(&ms, events_[i - 1], events_[i]));
      list.push_back({names_[i], ms, 0, ""});
    }
    return list;
  }

 private:
  bool wanted_;
  cudaStream_t stream_;
  std::deque<Event> events_;
  std::vector<std::string_view> names_;
};

/// Work that is recorded once and started as a whole: less time between the kernels of a query that is repeated.
class Graph {
 public:
  Graph() = default;
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph() {
    if (graph_ != nullptr) cudaGraphExecDestroy(graph_);
  }
  template <typename Work>
  void record(const Work& work) {
    if (!stream_) stream_.emplace();
    if (graph_ != nullptr) SIGHTLINE_CUDA(cudaGraphExecDestroy(std::exchange(graph_, nullptr)));
    cudaGraph_t recorded = nullptr;
    SIGHTLINE_CUDA(cudaStreamBeginCapture(*stream_, cudaStreamCaptureModeThreadLocal));
    try {
      work(*stream_);
    } catch (...) {
      cudaStreamEndCapture(*stream_, &recorded);
      if (recorded != nullptr) cudaGraphDestroy(recorded);
      throw;
    }
    SIGHTLINE_CUDA(cudaStreamEndCapture(*stream_, &recorded));
    const cudaError_t status = cudaGraphInstantiate(&graph_, recorded, 0);
    cudaGraphDestroy(recorded);
    check(status, "cudaGraphInstantiate");
  }
  void launch(cudaStream_t stream) { SIGHTLINE_CUDA(cudaGraphLaunch(graph_, stream)); }

 private:
  std::optional<Stream> stream_;  ///< a caller's stream may be the default stream, which cannot record
  cudaGraphExec_t graph_ = nullptr;
};

}  // namespace sightline::cuda
