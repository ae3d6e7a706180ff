#include "query/rest.h"

#include <algorithm>

#include "base/format.h"
#include "input/watch.h"

namespace sightline {
namespace {

/// Objects that the tree of boxes may lack before it is built again.
std::size_t most_outside(std::size_t in_tree) { return 16 + in_tree / 8; }

/// A tree over the triangles; returns false if the query was cancelled.
bool build(BoxTree& tree, const TriangleTable::Object& mesh, unsigned threads, Watch& watch) {
  Workers workers(threads, mesh.triangle_count);
  const std::function<bool()> cancel = [&watch] { return watch.stop(); };
  std::vector<BoxTree::Item> scratch;
  try {
    tree.assign(
        mesh.triangle_count, [&mesh](std::size_t i) { return mesh.box(static_cast<std::uint32_t>(i)); }, scratch,
        Across::kLeaf, workers, Poll(cancel));
  } catch (const Error&) {
    if (!watch.stopped()) throw;
    return false;
  }
  return true;
}

}  // namespace

void Rest::begin(std::span<const QueryObject> objects) {
  try {
    compare(objects);
  } catch (...) {
    *this = Rest();  // memory ran out: nothing rests
    throw;
  }
  check_samples();
  check_parts();
}

void Rest::compare(std::span<const QueryObject> objects) {
  table_.rewind(mark_);
  moved_.clear();
  left_.clear();
  triangle_count_ = 0;
  range_ = {};
  align(objects);
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const QueryObject& object = objects[i];
    Record& record = records_[i];
    if (record.version != object.positions_version || record.options != object.options) {
      leave(record);
      record.version = object.positions_version;
      record.options = object.options;
      record.triangles = static_cast<std::uint32_t>(object.mesh.triangles.size());
      record.calm = 0;
    } else {
      record.calm += record.calm < 0xFFFFFFFF;
    }
    triangle_count_ += record.triangles;
    range_.add(record.id, record.triangles);
    if (record.slot == kNone) moved_.push_back(static_cast<std::uint32_t>(i));
  }
  forget_contacts();
}

/// Makes records_[i] the record of objects[i]; objects that are no longer in the list leave.
void Rest::align(std::span<const QueryObject> objects) {
  const auto same = [](const Record& record, const QueryObject& object) { return record.id == object.id; };
  if (std::equal(records_.begin(), records_.end(), objects.begin(), objects.end(), same)) return;
  aligned_.clear();
  auto old = records_.begin();
  for (const QueryObject& object : objects) {
    for (; old != records_.end() && old->id < object.id; ++old) leave(*old);
    if (old != records_.end() && old->id == object.id)
      aligned_.push_back(*old++);
    else
      aligned_.emplace_back().id = object.id;
  }
  for (; old != records_.end(); ++old) leave(*old);
  records_.swap(aligned_);
}

void Rest::leave(Record& record) {
  if (record.slot == kNone) return;
  record.patience = record.calm < 2 * record.patience ? std::min(2 * record.patience, kMostPatience) : kLeastPatience;
  resting_.objects[record.slot] = {Box{}, nullptr, true};
  slot_bytes_ -= slots_[record.slot]->bytes();
  slots_[record.slot].reset();
  samples_[record.slot] = {};
  record.slot = kNone;
  ++gone_;
  left_.push_back(record.id);
}

void Rest::forget_contacts() {
  if (left_.empty()) return;
  std::sort(left_.begin(), left_.end());  // those of `align` came first
  const auto left = [this](std::uint32_t id) { return std::binary_search(left_.begin(), left_.end(), id); };
  std::erase_if(contacts_, [&](const Contact& c) { return left(c.object_a) || left(c.object_b); });
}

// The memory of objects at rest must not change unannounced. All of it cannot be read in each query: that would cost
// what resting saves. So each query reads three vertices of each object, which notices at once what moves or deforms an
// object as a whole, and a part of the rest in turn, which notices every change sooner or later. The part grows with what
// moved: a query that takes longer may check more.

Rest::Samples::Samples(const Positions& positions) : is_double(positions.is_double()) {
  const std::size_t last = positions.size() - 1;
  const std::size_t vertex[kCount] = {0, last / 2, last};
  for (int i = 0; i < kCount; ++i) {
    at[i] = is_double ? std::as_bytes(positions.f64().subspan(vertex[i], 1)).data()
                      : std::as_bytes(positions.f32().subspan(vertex[i], 1)).data();
    sum[i] = is_double ? Checksum::of_point<double>(at[i]) : Checksum::of_point<float>(at[i]);
  }
}

bool Rest::Samples::unchanged() const {
  for (int i = 0; i < kCount; ++i)
    if (at[i] != nullptr &&
        sum[i] != (is_double ? Checksum::of_point<double>(at[i]) : Checksum::of_point<float>(at[i])))
      return false;
  return true;
}

namespace {

[[noreturn]] void report_change(std::uint32_t object) {
  throw Error(
      formatted("object {}: its positions or triangles were changed in memory without a call of move or replace; a "
                "scene takes a change only from these calls",
                object));
}

}  // namespace

void Rest::check_samples() const {
  for (std::size_t slot = 0; slot < samples_.size(); ++slot)
    if (!samples_[slot].unchanged()) report_change(slots_[slot]->object.id);
}

void Rest::check_parts() {
  std::size_t left = kLeastChecked;  // bytes
  for (const std::uint32_t i : moved_) left += kCheckedPerTriangle * records_[i].triangles;
  for (std::size_t visited = 0; visited <= slots_.size() && !slots_.empty(); ++visited) {
    if (check_slot_ >= slots_.size()) check_slot_ = check_part_ = 0;
    if (const Slot* slot = slots_[check_slot_].get(); slot != nullptr)
      for (; check_part_ < slot->checksum.parts(); ++check_part_) {
        const std::size_t bytes = slot->checksum.bytes(check_part_).size();
        if (bytes > left) return;
        left -= bytes;
        if (!slot->checksum.is_unchanged(check_part_)) report_change(slot->object.id);
      }
    ++check_slot_;
    check_part_ = 0;
  }
}

void Rest::end(std::span<const QueryObject> objects, std::span<const Contact> contacts, unsigned threads,
               Watch& watch) {
  try {
    take_in(objects, contacts, threads, watch);
  } catch (...) {
    *this = Rest();
    throw;
  }
}

void Rest::take_in(std::span<const QueryObject> objects, std::span<const Contact> contacts, unsigned threads,
                   Watch& watch) {
  const auto is_ready = [this](std::uint32_t place) {
    const Record& record = records_[place];
    return record.calm >= record.patience && record.triangles > 0;
  };
  if (std::none_of(moved_.begin(), moved_.end(), is_ready)) return;
  table_.rewind(mark_);
  if (gone_ > resting_.objects.size() / 2) compact();
  for (const std::uint32_t place : moved_)
    if (is_ready(place) && !join(records_[place], objects[place], threads, watch)) break;
  mark_ = table_.mark();
  if (resting_.objects.size() - resting_.in_tree > most_outside(resting_.in_tree)) {
    std::vector<BoxTree::Item> scratch;
    resting_.tree.assign(
        resting_.objects.size(), [this](std::size_t i) { return resting_.objects[i].box; }, scratch);
    resting_.in_tree = static_cast<std::uint32_t>(resting_.objects.size());
  }
  contacts_.clear();
  for (std::size_t i = 0; i < contacts.size();) {
    const std::uint32_t a = contacts[i].object_a, b = contacts[i].object_b;
    const bool kept = rests(a) && rests(b);
    for (; i < contacts.size() && contacts[i].object_a == a && contacts[i].object_b == b; ++i)
      if (kept) contacts_.push_back(contacts[i]);
  }
}

/// Returns false if the query was cancelled; the object then does not rest.
bool Rest::join(Record& record, const QueryObject& object, unsigned threads, Watch& watch) {
  if (std::uint64_t{table_.triangle_count} + record.triangles > TriangleTable::kMostTriangles) return false;
  auto slot = std::make_unique<Slot>(Slot{object, {}, {}});
  const Positions& positions = object.mesh.positions;
  slot->checksum.assign(positions.is_double() ? std::as_bytes(positions.f64()) : std::as_bytes(positions.f32()),
                        std::as_bytes(object.mesh.triangles));
  table_.add(slot->object, 0);
  const TriangleTable::Object& mesh = table_.objects.back();
  if (mesh.triangle_count > Across::kFew && !build(slot->tree, mesh, threads, watch)) {
    table_.rewind(mark_);
    return false;
  }
  record.slot = static_cast<std::uint32_t>(slots_.size());
  resting_.objects.push_back({mesh.bounds(), slot->tree.empty() ? nullptr : &slot->tree, false});
  slot_bytes_ += slot->bytes();
  slots_.push_back(std::move(slot));
  samples_.emplace_back(positions);
  mark_ = table_.mark();
  return true;
}

/// Drops the slots of objects that left.
void Rest::compact() {
  RestingObjects kept;
  std::vector<std::unique_ptr<Slot>> slots;
  std::vector<Samples> samples;
  table_.clear();
  for (Record& record : records_) {
    if (record.slot == kNone) continue;
    kept.objects.push_back(resting_.objects[record.slot]);
    slots.push_back(std::move(slots_[record.slot]));
    samples.push_back(samples_[record.slot]);
    record.slot = static_cast<std::uint32_t>(slots.size() - 1);
    table_.add(slots.back()->object, 0);
  }
  resting_ = std::move(kept);
  slots_ = std::move(slots);
  samples_ = std::move(samples);
  gone_ = 0;
  mark_ = table_.mark();
  check_slot_ = check_part_ = 0;
}

bool Rest::rests(std::uint32_t id) const {
  const auto at = std::lower_bound(records_.begin(), records_.end(), id,
                                   [](const Record& record, std::uint32_t i) { return record.id < i; });
  return at->slot != kNone;
}

std::uint64_t Rest::bytes() const {
  return slot_bytes_ + (records_.capacity() + aligned_.capacity()) * sizeof(Record) +
         contacts_.capacity() * sizeof(Contact) + resting_.tree.bytes() +
         resting_.objects.capacity() * sizeof(RestingObjects::Object) +
         slots_.capacity() * (sizeof(void*) + sizeof(Samples) + sizeof(TriangleTable::Object));
}

}  // namespace sightline
