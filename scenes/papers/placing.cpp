#include "scenes/papers/placing.h"

#include <algorithm>
#include <cmath>

#include "sightline/depth.h"

namespace sightline::scenes {

Pose stepped(const Pose& pose, const Motion& motion) {
  const Quaternion& q = pose.rotation;
  const Vec3d h = times(0.5, motion.angular_velocity), v{q[1], q[2], q[3]};
  const Vec3d turned = add(times(q[0], h), cross(h, v));
  Quaternion next{q[0] - dot(h, v), v[0] + turned[0], v[1] + turned[1], v[2] + turned[2]};
  const double length = std::sqrt(next[0] * next[0] + next[1] * next[1] + next[2] * next[2] + next[3] * next[3]);
  for (double& x : next) x /= length;
  return {add(motion.center, motion.velocity), next};
}

Quaternion rotation_about(const Vec3d& axis, double tangent_of_half) {
  const double w = 1 / std::sqrt(1 + tangent_of_half * tangent_of_half);
  const Vec3d v = times(w * tangent_of_half, normalized(axis));
  return {w, v[0], v[1], v[2]};
}

Box box_of(const MeshView& mesh) {
  Box box{mesh.position(0), mesh.position(0)};
  for (std::size_t i = 1; i < mesh.positions.size(); ++i) {
    const Vec3d p = mesh.position(i);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      box.low[axis] = std::min(box.low[axis], p[axis]);
      box.high[axis] = std::max(box.high[axis], p[axis]);
    }
  }
  return box;
}

std::vector<Vec3d> points_of(const MeshView& mesh) {
  std::vector<Vec3d> points(mesh.positions.size());
  for (std::size_t i = 0; i < points.size(); ++i) points[i] = mesh.position(i);
  return points;
}

void set_points(Mesh& mesh, const std::vector<Vec3d>& points) { place(mesh, points, {}); }

void place(Mesh& mesh, const std::vector<Vec3d>& at_rest, const Pose& pose) {
  if (!std::holds_alternative<std::vector<Vec3f>>(mesh.positions)) mesh.positions = std::vector<Vec3f>();
  auto& positions = std::get<std::vector<Vec3f>>(mesh.positions);
  positions.resize(at_rest.size());
  for (std::size_t i = 0; i < at_rest.size(); ++i) positions[i] = to_float(pose(at_rest[i]));
}

Mesh placed(const Mesh& mesh, const Pose& pose) {
  Mesh result = mesh;
  place(result, points_of(mesh), pose);
  return result;
}

Mesh fitted(const Mesh& mesh, const Box& box) {
  const Box own = box_of(mesh);
  const double scale = (box.high[1] - box.low[1]) / (own.high[1] - own.low[1]);
  Vec3d offset = minus(box.center(), times(scale, own.center()));
  offset[1] = box.low[1] - scale * own.low[1];
  std::vector<Vec3d> points = points_of(mesh);
  for (Vec3d& p : points) p = add(offset, times(scale, p));
  Mesh result{.name = mesh.name, .positions = {}, .triangles = mesh.triangles};
  set_points(result, points);
  return result;
}

Mesh body_or(const Mesh* real, Mesh generated) {
  return real == nullptr ? std::move(generated) : fitted(*real, box_of(generated));
}

AnimatedObject& StoredAnimation::add_object(Mesh mesh, std::string name) {
  mesh.name = std::move(name);
  return objects().emplace_back(AnimatedObject{.mesh = std::move(mesh)});
}

void StoredAnimation::show(std::size_t object, const std::vector<Vec3d>& at_rest, const Pose& pose) {
  objects()[object].motion.center = pose.center;
  show_deformed(object, at_rest, pose);
}

void StoredAnimation::show_deformed(std::size_t object, const std::vector<Vec3d>& points, const Pose& pose) {
  Mesh& mesh = objects()[object].mesh;
  place(mesh, points, pose);
  const auto id = static_cast<ObjectId>(object);
  if (id < scene_.size() && !scene_.is_removed(id)) scene_.move(id, mesh.view().positions);
}

void StoredAnimation::add_all_to_scene() {
  for (const AnimatedObject& object : objects()) scene_.add(object.mesh);
}

const std::vector<Contact>& StoredAnimation::collide() {
  std::vector<Motion> motions;
  if (detector_)
    for (std::size_t i = 0; i < scene_.size(); ++i) motions.push_back(objects()[i].motion);
  detect(scene_, motions, report_);
  return report_.contacts;
}

void StoredAnimation::detect(Scene& scene, std::span<const Motion> motions, papers::Report& found) {
  if (detector_)
    detector_(scene, motions, found);
  else
    scene.collide(found, {.threads = threads_});
}

std::vector<WayOut> StoredAnimation::ways_out() const {
  std::vector<WayOut> all;
  const std::span<const Contact> contacts = report_.contacts;
  for (std::size_t begin = 0, end; begin < contacts.size(); begin = end) {
    const std::uint32_t a = contacts[begin].object_a, b = contacts[begin].object_b;
    for (end = begin; end < contacts.size() && contacts[end].object_a == a && contacts[end].object_b == b;) ++end;
    if (a == b) continue;
    const MeshView mesh_a = frame_.objects[a].mesh, mesh_b = frame_.objects[b].mesh;
    const auto own = contacts.subspan(begin, end - begin);
    const std::vector<ContactNormal> normals = contact_normals(mesh_a, mesh_b, own);
    Vec3d sum{};
    for (std::size_t i = 0; i < own.size(); ++i) {
      const auto c = mesh_a.corners(own[i].a);
      const bool leads_out = dot(normals[i].direction, cross(minus(c[1], c[0]), minus(c[2], c[0]))) <= 0;  // of a
      sum = add(sum, times(leads_out ? -1 : 1, normals[i].direction));
    }
    if (!(dot(sum, sum) > 0)) continue;
    WayOut way{a, b, normalized(sum), 0};
    for (const Contact& contact : own)
      for (const Vec3d& p : mesh_a.corners(contact.a))
        for (const Vec3d& q : mesh_b.corners(contact.b))
          way.depth = std::max(way.depth, dot(way.direction, minus(p, q)));
    all.push_back(way);
  }
  return all;
}

std::vector<Meeting> StoredAnimation::meetings() const {
  std::vector<Meeting> all;
  const auto add = [&](std::uint32_t object, std::uint32_t triangle, std::uint32_t other) {
    const auto [a, b] = std::minmax(object, other);
    all.push_back({a, b, frame_.objects[object].mesh.view().corners(triangle)[0]});
  };
  for (const Contact& contact : report_.contacts)
    if (contact.object_a != contact.object_b) add(contact.object_a, contact.a, contact.object_b);
  for (const papers::Penetration& found : report_.method.penetrations) add(found.object_a, found.a, found.object_b);
  const auto pair = [](const Meeting& meeting) { return std::pair(meeting.a, meeting.b); };
  std::ranges::stable_sort(all, {}, pair);
  const auto same = [&](const Meeting& a, const Meeting& b) { return pair(a) == pair(b); };
  all.erase(std::unique(all.begin(), all.end(), same), all.end());
  return all;
}

}  // namespace sightline::scenes
