// CUDA graphs, for queries that are repeated.
#pragma once

#include <utility>

#include "cuda/check.h"

namespace sightline::cuda {

/// Work that is recorded once and started as a whole: less time between the kernels.
class Graph {
 public:
  Graph() = default;
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph() {
    if (graph_ != nullptr) cudaGraphExecDestroy(graph_);
    if (stream_ != nullptr) cudaStreamDestroy(stream_);
  }
  template <typename Work>
  void record(const Work& work) {
    if (stream_ == nullptr) SIGHTLINE_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    if (graph_ != nullptr) SIGHTLINE_CUDA(cudaGraphExecDestroy(std::exchange(graph_, nullptr)));
    cudaGraph_t recorded = nullptr;
    SIGHTLINE_CUDA(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    try {
      work(stream_);
    } catch (...) {
      cudaStreamEndCapture(stream_, &recorded);
      if (recorded != nullptr) cudaGraphDestroy(recorded);
      throw;
    }
    SIGHTLINE_CUDA(cudaStreamEndCapture(stream_, &recorded));
    const cudaError_t status = cudaGraphInstantiate(&graph_, recorded, 0);
    cudaGraphDestroy(recorded);
    check(status, "cudaGraphInstantiate");
  }
  void launch(cudaStream_t stream) { SIGHTLINE_CUDA(cudaGraphLaunch(graph_, stream)); }

 private:
  cudaStream_t stream_ = nullptr;  ///< for recording: a caller's stream may be the default stream, which cannot record
  cudaGraphExec_t graph_ = nullptr;
};

}  // namespace sightline::cuda
