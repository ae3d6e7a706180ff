#include "order/canonical.h"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "base/buffer.h"
#include "base/parallel.h"
#include "base/radix_sort.h"
#include "input/watch.h"
#include "rules/order.h"

namespace sightline {
namespace {

using Keys = std::span<std::uint64_t>;

/// Sorts contacts as words: into buckets by the greatest bits, then each bucket. Three parallel loops, because each one
/// waits for its slowest thread.
class WordSort {
 public:
  WordSort(const rules::KeyLayout& layout, std::vector<std::vector<Contact>>& parts, Workers& workers, Watch& watch,
           SortScratch& scratch)
      : layout_(layout),
        parts_(parts),
        workers_(workers),
        watch_(watch),
        pieces_(scratch.pieces),
        keys_(scratch.keys),
        other_(scratch.other) {
    pieces_.clear();
    for (const auto& part : parts) total_ += part.size();
    // One bucket for a list that is not worth sharing.
    constexpr std::size_t kWorthSharing = 1 << 18;  // contacts; with fewer, two threads took longer than one
    const bool shared = workers.count() > 1 && total_ >= kWorthSharing;
    shift_ = shared ? std::max(0, layout.bits() - kBucketBits) : kAllBits;
    for (std::size_t part = 0; part < parts.size(); ++part)
      for (std::size_t first = 0; first < parts[part].size(); first += kPiece)
        pieces_.push_back({part, first, std::min(first + kPiece, parts[part].size()), {}});
  }

  void run(std::vector<Contact>& contacts) {
    workers_.for_each(pieces_.size(), [&](std::size_t i) {
      Piece& piece = pieces_[i];
      each_key(piece, [&](std::uint64_t key) { ++piece.place[bucket(key)]; });
    });
    std::size_t begin[kBuckets + 1], sum = 0;
    for (std::size_t b = 0; b < kBuckets; ++b) {
      begin[b] = sum;
      for (Piece& piece : pieces_) sum += std::exchange(piece.place[b], sum);
    }
    begin[kBuckets] = sum;
    keys_.resize(total_);
    other_.resize(total_);
    contacts.resize(total_);
    workers_.for_each(pieces_.size(), [&](std::size_t i) {
      Piece& piece = pieces_[i];
      each_key(piece, [&](std::uint64_t key) { keys_[piece.place[bucket(key)]++] = key; });
    });
    for (auto& part : parts_) part.clear();
    workers_.for_each(shift_ == kAllBits ? 1 : kBuckets, [&](std::size_t b) {
      const std::size_t count = begin[b + 1] - begin[b];
      sort({keys_.data() + begin[b], count}, {other_.data() + begin[b], count});
      for (std::size_t i = begin[b]; i < begin[b + 1]; ++i) {
        const rules::KeyLayout::Fields f = layout_.unpack(keys_[i]);
        contacts[i] = {f.object_a, f.object_b, f.a, f.b, static_cast<Kind>(f.kind)};
      }
    });
  }

 private:
  static constexpr int kBucketBits = SortScratch::kBucketBits, kAllBits = 64;
  static constexpr std::size_t kBuckets = SortScratch::kBuckets, kPiece = 1 << 15;
  using Piece = SortScratch::Piece;

  template <typename Visit>
  void each_key(const Piece& piece, const Visit& visit) const {
    for (std::size_t i = piece.first; i < piece.last; ++i) {
      const Contact& c = parts_[piece.part][i];
      visit(layout_.pack(c.object_a, c.object_b, c.a, c.b, static_cast<std::uint64_t>(c.kind)));
    }
  }
  std::size_t bucket(std::uint64_t key) const { return shift_ == kAllBits ? 0 : key >> shift_; }
  void sort(Keys keys, Keys other) const {
    constexpr std::size_t kFew = 2048;
    if (keys.size() > kFew)
      radix_sort(keys, other, std::min(shift_, layout_.bits()), std::identity(), [this] { return watch_.stop(); });
    else
      std::sort(keys.begin(), keys.end());
  }

  const rules::KeyLayout& layout_;
  std::vector<std::vector<Contact>>& parts_;
  Workers& workers_;
  Watch& watch_;
  std::size_t total_ = 0;
  int shift_ = kAllBits;
  std::vector<Piece>& pieces_;
  Buffer<std::uint64_t>&keys_, &other_;
};

}  // namespace

void canonical_contacts(const ContactRange& range, std::vector<std::vector<Contact>>& parts, Workers& workers,
                        Watch& watch, SortScratch& scratch, std::vector<Contact>& contacts) {
  contacts.clear();
  std::size_t total = 0;
  for (const auto& part : parts) total += part.size();
  if (total == 0) return;
  const rules::KeyLayout layout{rules::bits_for(range.last_object), rules::bits_for(range.most_triangles - 1)};
  constexpr std::size_t kFew = 256;  // to be sorted without memory for words
  if (layout.fits() && total > kFew) return WordSort(layout, parts, workers, watch, scratch).run(contacts);
  for (auto& part : parts) {
    contacts.insert(contacts.end(), part.begin(), part.end());
    part.clear();
  }
  std::sort(contacts.begin(), contacts.end());
}

}  // namespace sightline
