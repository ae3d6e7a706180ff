#include "cuda/staging.h"

namespace sightline::cuda {

Staging::Staging(cudaStream_t stream) : stream_(stream) {
  void* both = nullptr;
  SIGHTLINE_CUDA(cudaMallocHost(&both, 2 * kPiece));
  piece_[0] = static_cast<std::byte*>(both);
  piece_[1] = piece_[0] + kPiece;
}
Staging::~Staging() {
  cudaStreamSynchronize(stream_);
  cudaFreeHost(piece_[0]);
}

std::byte* Staging::open(std::byte* to, std::size_t least) {
  if (used_ > 0 && (to != to_ + used_ || kPiece - used_ < least)) flush();
  if (used_ == 0) {
    SIGHTLINE_CUDA(cudaEventSynchronize(sent_[now_]));  // at once if it has never been sent
    to_ = to;
  }
  return piece_[now_] + used_;
}

void Staging::flush() {
  if (used_ == 0) return;
  const std::size_t bytes = used_;
  used_ = 0;
  SIGHTLINE_CUDA(cudaMemcpyAsync(to_, piece_[now_], bytes, cudaMemcpyHostToDevice, stream_));
  SIGHTLINE_CUDA(cudaEventRecord(sent_[now_], stream_));
  bytes_ += bytes;
  now_ = 1 - now_;
}

}  // namespace sightline::cuda
