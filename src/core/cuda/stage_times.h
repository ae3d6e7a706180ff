// Stage times of a query by CUDA events.
#pragma once

#include <string_view>
#include <vector>

#include "cuda/check.h"
#include "sightline/contact.h"

namespace sightline::cuda {

/// Events between the stages, if stage times are measured.
class StageTimes {
 public:
  StageTimes(bool wanted, cudaStream_t stream) : wanted_(wanted), stream_(stream) { mark(""); }
  ~StageTimes() {
    for (cudaEvent_t event : events_) cudaEventDestroy(event);
  }
  bool wanted() const { return wanted_; }
  void mark(std::string_view name) {
    if (!wanted_) return;
    cudaEvent_t event;
    SIGHTLINE_CUDA(cudaEventCreate(&event));
    events_.push_back(event);
    names_.push_back(name);
    SIGHTLINE_CUDA(cudaEventRecord(event, stream_));
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
  std::vector<cudaEvent_t> events_;
  std::vector<std::string_view> names_;
};

}  // namespace sightline::cuda
