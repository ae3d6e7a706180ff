// A query over objects in host memory, answered by the CUDA device. No CUDA header is needed to include this.
#pragma once

#include <memory>
#include <span>

#include "scene/query.h"

namespace sightline::cuda {

/// Takes the place of run_query (scene/query.h) and gives the same list. The objects' copy on the device and all
/// working memory are kept from query to query.
class SceneQuery {
 public:
  SceneQuery();  ///< throws Error where this build or this machine has no CUDA
  ~SceneQuery();
  void run(std::span<const QueryObject> objects, const Options& options, Report& report);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sightline::cuda
