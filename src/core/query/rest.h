// What a scene keeps of objects that rest: their boxes, a tree for each object of many triangles, and the contacts
// among them. A query then tests only what moved, against itself and against what rests (pair/across.h).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "order/canonical.h"
#include "pair/across.h"
#include "query/checksum.h"

namespace sightline {

/// An object *rests* from the end of the second query that finds it unchanged until it is moved, placed, replaced or
/// removed, or gets other options. Versions decide that (QueryObject), not the positions.
class Rest {
 public:
  /// Compares the objects of a query with those of the last one. Throws Error if the memory of an object at rest is
  /// found changed, in each query until the change is announced.
  void begin(std::span<const QueryObject> objects);

  /// Nothing rests.
  void clear() {
    if (!records_.empty()) *this = Rest();
  }
  /// False if the triangles could not be numbered: then nothing may be taken from here.
  bool fits() const { return table_.triangle_count + triangle_count_ <= TriangleTable::kMostTriangles; }

  bool empty() const { return resting_.objects.size() == gone_; }
  /// Places, in the list of the query, of the objects that do not rest.
  std::span<const std::uint32_t> moved() const { return moved_; }
  std::uint64_t triangle_count() const { return triangle_count_; }  ///< of all objects of the query
  const ContactRange& range() const { return range_; }

  /// The objects at rest, and after them those that the query adds; the next query removes these.
  TriangleTable& table() { return table_; }
  const RestingObjects& objects() const { return resting_; }
  /// The contacts of objects at rest with each other and with themselves, in canonical order.
  std::span<const Contact> contacts() const { return contacts_; }

  /// `contacts` are all contacts of the objects of the query that was begun: those that have rested long enough rest
  /// from now on.
  void end(std::span<const QueryObject> objects, std::span<const Contact> contacts, unsigned threads, Watch& watch);

  std::uint64_t bytes() const;

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  /// Of each object of the last query, by ascending id.
  struct Record {
    std::uint32_t id = 0;
    std::uint32_t slot = kNone;  ///< of an object at rest
    std::uint64_t version = 0;   ///< of its positions; none has the version 0
    std::uint32_t triangles = 0;
    ObjectOptions options;
    std::uint32_t calm = 0;  ///< queries in a row that found it unchanged
    std::uint32_t patience = kLeastPatience;
  };
  /// Queries that an object must be unchanged for. An object that moved soon after it came to rest has to wait longer
  /// the next time, so that a motion with short stops does not pay for a tree at each stop.
  static constexpr std::uint32_t kLeastPatience = 2, kMostPatience = 64;
  /// Bytes at rest that a query compares: these, and so many for each triangle that moved.
  static constexpr std::size_t kLeastChecked = 4 * Checksum::kPart, kCheckedPerTriangle = 64;
  /// Three vertices of an object at rest, as they were when it came to rest.
  struct Samples {
    static constexpr int kCount = 3;
    const std::byte* at[kCount] = {};
    std::uint64_t sum[kCount] = {};
    bool is_double = false;

    Samples() = default;
    explicit Samples(const Positions& positions);
    bool unchanged() const;
  };
  struct Slot {
    QueryObject object;  ///< the table points to its transform
    BoxTree tree;
    Checksum checksum;
    std::uint64_t bytes() const { return sizeof(Slot) + tree.bytes() + checksum.size_bytes(); }
  };

  void compare(std::span<const QueryObject> objects);
  void align(std::span<const QueryObject> objects);
  void leave(Record& record);
  void forget_contacts();
  void check_samples() const;
  void check_parts();
  void take_in(std::span<const QueryObject> objects, std::span<const Contact> contacts, unsigned threads, Watch& watch);
  bool join(Record& record, const QueryObject& object, unsigned threads, Watch& watch);
  void compact();
  bool rests(std::uint32_t id) const;

  std::vector<Record> records_, aligned_;
  std::vector<std::uint32_t> moved_, left_;  ///< left_: ids of objects that ceased to rest in this query, ascending
  std::vector<std::unique_ptr<Slot>> slots_;
  RestingObjects resting_;        ///< by slot
  std::vector<Samples> samples_;  ///< by slot
  std::size_t gone_ = 0;          ///< slots
  TriangleTable table_;
  TriangleTable::Mark mark_;  ///< without the objects of the query
  std::vector<Contact> contacts_;
  std::uint64_t triangle_count_ = 0, slot_bytes_ = 0;
  ContactRange range_;
  std::size_t check_slot_ = 0, check_part_ = 0;  ///< where the next query goes on checking the memory
};

}  // namespace sightline
