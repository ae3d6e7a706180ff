// What moves in a glTF file: its animations and its morph targets. A pose holds the positions of nodes and the weights
// of morph targets at one moment.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "read/gltf.h"

namespace sightline::read {

/// What a moment changes. All other nodes and meshes are as in the file.
struct GltfPose {
  struct Node {
    std::optional<std::array<double, 3>> translation, scale;
    std::optional<std::array<double, 4>> rotation;
    std::optional<std::vector<double>> weights;
  };
  std::map<std::uint64_t, Node> nodes;
};

/// One moment of the file.
struct GltfFrame {
  std::string label;          ///< "walk 0.35 s", "morph smile"; "rest"
  std::size_t animation = 0;  ///< used only if there are animations
  double time = 0;
  std::size_t target = 0;  ///< else: 0 for the rest pose, 1 + the morph target that is full
};

/// All channels of a file's animations, checked when it is made.
class GltfAnimations {
 public:
  explicit GltfAnimations(GltfDocument& document);
  /// Nothing moves: no animation changes a node, and no mesh has morph targets.
  bool empty() const { return animations_.empty() && targets_ == 0; }
  /// `rate` frames a second from each animation's first key to its last; without animations, the rest pose and each
  /// morph target by itself. Fails if there would be more than `most`.
  std::vector<GltfFrame> frames(double rate, std::size_t most) const;
  GltfPose pose(const GltfFrame& frame) const;
  /// Notes about features of the file that are not supported.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  enum class Path { translation, rotation, scale, weights };
  enum class Between { linear, step, cubic };
  struct Channel {
    std::uint64_t node = 0;
    Path path = Path::translation;
    Between between = Between::linear;
    std::vector<double> times;
    std::vector<double> values;  ///< width for each key; three times that for cubic
    std::size_t width = 0;
  };
  struct Animation {
    std::string name;
    double begin = 0, end = 0;
    std::vector<Channel> channels;
  };
  void read_animation(std::size_t index);
  std::optional<Channel> read_channel(const GltfValue& animation, const GltfValue& channel);
  std::vector<double> at(const Channel& channel, double time) const;

  GltfDocument& doc_;
  std::vector<Animation> animations_;
  std::size_t targets_ = 0;  ///< the largest number of targets of a mesh
  std::vector<std::string> target_names_;
  std::vector<std::size_t> targets_of_;  ///< per node: the number of targets of its mesh
  std::vector<std::string> notes_;
};

/// A file that can be read several times, at any moment.
class GltfMovie {
 public:
  explicit GltfMovie(const Source& source);
  ~GltfMovie();
  const GltfAnimations& animations() const;
  /// The model at that moment, checked as read_model does.
  Model model(const GltfFrame& frame);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sightline::read
