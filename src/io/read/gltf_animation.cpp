// Animations and morph targets of glTF.

#include <algorithm>
#include <cmath>
#include <set>

#include "base/format.h"
#include "read/gltf.h"
#include "read/text.h"

namespace sightline::read {
namespace {

std::size_t target_count(const GltfDocument& doc, const GltfValue& mesh) {
  std::size_t most = 0;
  for (std::size_t i = 0; i < doc.array_size(mesh, "primitives"); ++i)
    most = std::max(most, doc.array_size(doc.element(mesh, "primitives", i), "targets"));
  return most;
}

// Along the great arc. Halving needs square roots only, which are the same on every machine; sine and arc cosine are
// not.
std::array<double, 4> slerp(std::array<double, 4> low, std::array<double, 4> high, double share) {
  const auto unit = [](std::array<double, 4> q) {
    const double length = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(length > 0) || !std::isfinite(length)) return std::array<double, 4>{0, 0, 0, 1};
    for (double& value : q) value /= length;
    return q;
  };
  low = unit(low), high = unit(high);
  double along = 0;
  for (std::size_t i = 0; i < 4; ++i) along += low[i] * high[i];
  if (along < 0)
    for (double& value : high) value = -value;  // the shorter way
  for (int bit = 0; bit < 40 && share > 0; ++bit) {
    std::array<double, 4> middle;
    for (std::size_t i = 0; i < 4; ++i) middle[i] = low[i] + high[i];
    middle = unit(middle);
    share *= 2;
    if (share >= 1) {
      low = middle;
      share -= 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// Names may repeat in a file, and a last key may come right after a frame: the second of a label is "label (2)".
std::vector<GltfFrame> with_own_labels(std::vector<GltfFrame> list) {
  std::set<std::string> used;
  std::map<std::string, int> tried;  // of a name in the file: the last number, so that a million equal names are quick
  for (GltfFrame& frame : list) {
    std::string label = frame.label;
    for (int& number = tried.try_emplace(frame.label, 1).first->second; !used.insert(label).second;)
      label = formatted("{} ({})", frame.label, ++number);
    frame.label = std::move(label);
  }
  return list;
}

}  // namespace

std::array<double, 4> unit_rotation(const std::array<double, 4>& rotation) { return slerp(rotation, rotation, 0); }

GltfAnimations::GltfAnimations(GltfDocument& document) : doc_(document) {
  const GltfValue root = doc_.root();
  for (std::size_t i = 0; i < doc_.array_size(root, "meshes"); ++i) {
    const GltfValue mesh = doc_.element(root, "meshes", i);
    const std::size_t count = target_count(doc_, mesh);
    if (count <= targets_) continue;
    targets_ = count;
    target_names_.assign(count, "");
    if (const auto extras = doc_.get(mesh, "extras"); extras && extras->json->is_object())
      if (const auto names = doc_.get(*extras, "targetNames"); names && names->json->is_array())
        for (std::size_t k = 0; k < std::min(count, names->json->size()); ++k)
          if (const nlohmann::json& name = (*names->json)[k]; name.is_string())
            target_names_[k] = name.get<std::string>();
  }
  for (std::size_t i = 0; i < doc_.array_size(root, "nodes"); ++i) {
    const GltfValue node = doc_.element(root, "nodes", i);
    const std::optional<GltfValue> mesh = doc_.get(node, "mesh");
    targets_of_.push_back(mesh ? target_count(doc_, doc_.entry("meshes", doc_.whole(*mesh), mesh->path)) : 0);
  }
  for (std::size_t i = 0; i < doc_.array_size(root, "animations"); ++i) read_animation(i);
}

void GltfAnimations::read_animation(std::size_t index) {
  const GltfValue value = doc_.element(doc_.root(), "animations", index);
  Animation animation;
  animation.name = doc_.text_or_empty(value, "name");
  if (animation.name.empty()) animation.name = formatted("animation {}", index);
  for (std::size_t i = 0; i < doc_.array_size(value, "channels"); ++i)
    if (std::optional<Channel> channel = read_channel(value, doc_.element(value, "channels", i)))
      animation.channels.push_back(std::move(*channel));
  if (animation.channels.empty()) return;
  for (const Channel& channel : animation.channels) {
    animation.begin = std::min(animation.begin, channel.times.front());
    animation.end = std::max(animation.end, channel.times.back());
  }
  animations_.push_back(std::move(animation));
}

std::optional<GltfAnimations::Channel> GltfAnimations::read_channel(const GltfValue& animation,
                                                                    const GltfValue& value) {
  const std::optional<GltfValue> target = doc_.get(value, "target");
  const std::optional<GltfValue> node = target ? doc_.get(*target, "node") : std::nullopt;
  if (!node) return std::nullopt;  // glTF: such a channel is ignored
  Channel channel;
  channel.node = doc_.whole(*node);
  const GltfValue moved = doc_.entry("nodes", channel.node, node->path);
  const std::string path = doc_.text_or_empty(*target, "path");
  constexpr std::array<std::string_view, 4> kPaths = {"translation", "rotation", "scale", "weights"};
  const auto found = static_cast<std::size_t>(std::ranges::find(kPaths, path) - kPaths.begin());
  if (found == kPaths.size())
    doc_.fail(target->path + ".path", formatted("{} is not translation, rotation, scale or weights", quote(path)));
  channel.path = static_cast<Path>(found);
  channel.width = std::array<std::size_t, 4>{3, 4, 3, targets_of_[channel.node]}[found];
  if (channel.width == 0)
    doc_.fail(target->path, formatted("moves the weights of node {}, whose mesh has no morph targets", channel.node));
  if (channel.path != Path::weights && doc_.get(moved, "matrix"))
    doc_.fail(target->path, formatted("moves node {}, which has a matrix", channel.node));
  const GltfValue sampler_index = doc_.need(value, "sampler");
  const GltfValue sampler = doc_.entry(animation, "samplers", doc_.whole(sampler_index), sampler_index.path);
  const std::string between = doc_.text_or_empty(sampler, "interpolation");
  if (between == "STEP")
    channel.between = Between::step;
  else if (between == "CUBICSPLINE")
    channel.between = Between::cubic;
  else if (!between.empty() && between != "LINEAR")
    doc_.fail(sampler.path + ".interpolation", formatted("{} is not LINEAR, STEP or CUBICSPLINE", quote(between)));
  const std::optional<GltfValue> input = doc_.get(sampler, "input"), output = doc_.get(sampler, "output");
  if (!input || !output) doc_.fail(sampler.path, "has no input or no output");
  channel.times = doc_.numbers(doc_.whole(*input), input->path, 1, "SCALAR");
  if (channel.times.empty()) doc_.fail(input->path, "has no keys");
  for (std::size_t i = 0; i < channel.times.size(); ++i)
    if (channel.times[i] < 0 || (i > 0 && channel.times[i] <= channel.times[i - 1]))
      doc_.fail(input->path, formatted("key {} is at {} s, {}", i, channel.times[i],
                                       channel.times[i] < 0 ? "before 0" : "not after the key before it"));
  const std::size_t components = channel.path == Path::weights ? 1 : channel.width;
  channel.values = doc_.numbers(doc_.whole(*output), output->path, components,
                                components == 1   ? "SCALAR"
                                : components == 3 ? "VEC3"
                                                  : "VEC4");
  const std::size_t needed = channel.times.size() * channel.width * (channel.between == Between::cubic ? 3 : 1);
  if (channel.values.size() != needed)
    doc_.fail(output->path,
              formatted("has {} numbers; {} keys need {}", channel.values.size(), channel.times.size(), needed));
  return channel;
}

double GltfAnimations::frames_at(double rate) const {
  double sum = animations_.empty() ? static_cast<double>(targets_) + 1 : 0;
  for (const Animation& animation : animations_)
    sum += std::floor((animation.end - animation.begin) * rate) + (animation.end > animation.begin ? 2 : 1);
  return sum;
}

std::vector<GltfFrame> GltfAnimations::frames(double rate, std::size_t most) const {
  std::vector<GltfFrame> list;
  const auto add = [&](GltfFrame frame, double wanted) {
    if (list.size() >= most || !(wanted <= static_cast<double>(most)))
      doc_.fail("animations", formatted("{:.6g} frames at {} a second are more than {}; use a lower frame rate",
                                        std::max(wanted, static_cast<double>(most) + 1), rate, most));
    list.push_back(std::move(frame));
  };
  for (std::size_t a = 0; a < animations_.size(); ++a) {
    const Animation& animation = animations_[a];
    const double wanted = std::floor((animation.end - animation.begin) * rate) + 1;
    // As many digits as are needed to give the nearest two frames different labels.
    int digits = 3;
    while (digits < 12 && std::pow(10, digits) < 2 * rate) ++digits;
    const auto label = [&](double time) { return formatted("{} {:.{}f} s", animation.name, time, digits); };
    for (double k = 0; k < wanted; ++k) {
      const double time = animation.begin + k / rate;
      if (k > 0 && animation.end - time < 1e-3 / rate)
        break;  // the end is added below; as a float it may be a bit later
      add({label(time), a, time, 0}, wanted);
    }
    if (animation.end > animation.begin) add({label(animation.end), a, animation.end, 0}, wanted);
  }
  if (!animations_.empty()) return with_own_labels(std::move(list));
  for (std::size_t target = 0; target <= targets_; ++target) {
    const std::string name = target == 0                         ? ""
                             : target_names_[target - 1].empty() ? formatted("{}", target - 1)
                                                                 : target_names_[target - 1];
    add({target == 0 ? "rest" : "morph " + name, 0, 0, target}, static_cast<double>(targets_) + 1);
  }
  return with_own_labels(std::move(list));
}

// glTF 2.0, appendix C. Before the first key and after the last one the value stays.
std::vector<double> GltfAnimations::at(const Channel& channel, double time) const {
  const std::size_t width = channel.width, stride = channel.between == Between::cubic ? 3 * width : width;
  const std::size_t value = channel.between == Between::cubic ? width : 0;  // behind the tangent that comes in
  const auto key = [&](std::size_t i) {
    const auto begin = channel.values.begin() + static_cast<std::ptrdiff_t>(i * stride + value);
    return std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(width));
  };
  const auto next = static_cast<std::size_t>(std::upper_bound(channel.times.begin(), channel.times.end(), time) -
                                             channel.times.begin());
  if (next == 0) return key(0);
  if (next == channel.times.size() || channel.between == Between::step) return key(next - 1);
  const double span = channel.times[next] - channel.times[next - 1], t = (time - channel.times[next - 1]) / span;
  std::vector<double> from = key(next - 1), to = key(next);
  if (channel.between == Between::linear && channel.path == Path::rotation) {
    const std::array<double, 4> q = slerp({from[0], from[1], from[2], from[3]}, {to[0], to[1], to[2], to[3]}, t);
    return {q.begin(), q.end()};
  }
  for (std::size_t i = 0; i < width; ++i) {
    if (channel.between == Between::linear) {
      from[i] += (to[i] - from[i]) * t;
      continue;
    }
    const double out = channel.values[(next - 1) * stride + 2 * width + i], in = channel.values[next * stride + i];
    const double t2 = t * t, t3 = t2 * t;
    from[i] = (2 * t3 - 3 * t2 + 1) * from[i] + span * (t3 - 2 * t2 + t) * out + (-2 * t3 + 3 * t2) * to[i] +
              span * (t3 - t2) * in;
  }
  return from;
}

GltfPose GltfAnimations::pose(const GltfFrame& frame) const {
  GltfPose pose;
  if (animations_.empty()) {
    for (std::uint64_t node = 0; frame.target > 0 && node < targets_of_.size(); ++node) {
      if (targets_of_[node] == 0) continue;
      std::vector<double> weights(targets_of_[node]);
      if (frame.target - 1 < weights.size()) weights[frame.target - 1] = 1;
      pose.nodes[node].weights = std::move(weights);
    }
    return pose;
  }
  for (const Channel& channel : animations_[frame.animation].channels) {
    std::vector<double> v = at(channel, frame.time);
    GltfPose::Node& node = pose.nodes[channel.node];
    switch (channel.path) {
      case Path::translation:
        node.translation = {v[0], v[1], v[2]};
        break;
      case Path::scale:
        node.scale = {v[0], v[1], v[2]};
        break;
      case Path::weights:
        node.weights = std::move(v);
        break;
      case Path::rotation: {
        node.rotation = unit_rotation({v[0], v[1], v[2], v[3]});
        break;
      }
    }
  }
  return pose;
}

}  // namespace sightline::read
