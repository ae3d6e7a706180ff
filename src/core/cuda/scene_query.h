// A query over objects in host memory, answered by the CUDA device. No CUDA header is needed to include this.
#pragma once

#include <memory>
#include <span>

#include "input/object.h"
#include "input/settings.h"

namespace sightline::cuda {

/// Replaces run_query (query/query.h) and returns the same list. The objects' copy on the device and all
/// working memory are kept from query to query.
class SceneQuery {
 public:
  explicit SceneQuery(const Device& device);  ///< throws Error if this build or this machine has no CUDA
  ~SceneQuery();
  void run(std::span<const QueryObject> objects, const Settings& options, Report& report);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sightline::cuda
