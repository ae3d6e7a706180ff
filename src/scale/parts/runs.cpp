// A record is its key (24 bytes), the length of its payload (1 byte) and the payload. A run is a range of the file.
#include "parts/runs.h"

#include <algorithm>
#include <cstring>

namespace sightline::scale {
namespace {

constexpr std::size_t kHead = sizeof(Key) + 1;
constexpr std::size_t kLeastBuffer = 4096;  ///< of a run that is read; more than a record

Key key_of(const std::byte* record) {
  Key key;
  std::memcpy(&key, record, sizeof key);
  return key;
}
std::size_t size_of(const std::byte* record) { return kHead + std::to_integer<std::size_t>(record[sizeof(Key)]); }

void append_record(std::vector<std::byte>& bytes, const Key& key, std::span<const std::byte> payload) {
  const std::size_t at = bytes.size();
  bytes.resize(at + kHead + payload.size());
  std::memcpy(bytes.data() + at, &key, sizeof key);
  bytes[at + sizeof key] = static_cast<std::byte>(payload.size());
  if (!payload.empty()) std::memcpy(bytes.data() + at + kHead, payload.data(), payload.size());
}

}  // namespace

/// The records of a run, one after the other, through a buffer.
class Runs::Reader {
 public:
  Reader(const disk::ScratchFile& file, const Run& run, std::size_t buffer) : file_(&file), run_(run), buffer_(buffer) {
    fill();
  }
  bool at_end() const { return begin_ == end_; }
  Key key() const { return key_of(record()); }
  std::span<const std::byte> payload() const {
    return std::span(buffer_).subspan(begin_ + kHead, size_of(record()) - kHead);
  }
  void next() {
    begin_ += size_of(record());
    if (end_ - begin_ < kHead + kMostPayload && run_.bytes > 0) fill();
  }

 private:
  const std::byte* record() const { return buffer_.data() + begin_; }
  void fill() {
    const std::size_t left = end_ - begin_;
    std::memmove(buffer_.data(), buffer_.data() + begin_, left);
    const auto more = static_cast<std::size_t>(std::min<std::uint64_t>(buffer_.size() - left, run_.bytes));
    file_->read(run_.at, std::span(buffer_).subspan(left, more));
    run_.at += more, run_.bytes -= more;
    begin_ = 0, end_ = left + more;
  }

  const disk::ScratchFile* file_;
  Run run_;
  std::vector<std::byte> buffer_;
  std::size_t begin_ = 0, end_ = 0;
};

/// A run that is written through a buffer, as one range: nothing else is appended to the file meanwhile.
class Runs::Writer {
 public:
  Writer(disk::ScratchFile& file, std::size_t buffer) : file_(file), most_(buffer) {}
  void add(const Key& key, std::span<const std::byte> payload) {
    append_record(bytes_, key, payload);
    if (bytes_.size() >= most_) flush();
  }
  void add(std::span<const std::byte> record) {
    bytes_.insert(bytes_.end(), record.begin(), record.end());
    if (bytes_.size() >= most_) flush();
  }
  Run finish() {
    flush();
    return run_;
  }

 private:
  void flush() {
    if (bytes_.empty()) return;
    const std::uint64_t at = file_.append(bytes_);
    if (run_.bytes == 0) run_.at = at;
    run_.bytes += bytes_.size();
    bytes_.clear();
  }
  disk::ScratchFile& file_;
  std::size_t most_;
  std::vector<std::byte> bytes_;
  Run run_;
};

void Runs::add(const Key& key, std::span<const std::byte> payload) {
  entries_.push_back({key, bytes_.size()});
  append_record(bytes_, key, payload);
  ++count_;
  // Vectors grow by doubling: at worst they hold twice their contents, and the old contents besides.
  if (3 * (bytes_.size() + entries_.size() * sizeof(Entry)) >= memory_) spill();
}

void Runs::sort() {
  std::sort(entries_.begin(), entries_.end(), [](const Entry& x, const Entry& y) { return x.key < y.key; });
}

void Runs::spill() {
  if (entries_.empty()) return;
  sort();
  Writer writer(file_, std::max(memory_ / 8, kLeastBuffer));
  for (const Entry& entry : entries_)
    writer.add(std::span(bytes_).subspan(entry.at, size_of(bytes_.data() + entry.at)));
  runs_.push_back(writer.finish());
  entries_.clear();
  bytes_.clear();
}

void Runs::finish() {
  if (runs_.empty()) return sort();
  spill();
  entries_ = {};
  bytes_ = {};
  const std::size_t fan_in = std::max<std::size_t>(2, memory_ / 2 / kLeastBuffer);
  while (runs_.size() > fan_in) {
    std::vector<Run> longer;
    for (std::size_t first = 0; first < runs_.size(); first += fan_in) {
      const std::span group = std::span(runs_).subspan(first, std::min(fan_in, runs_.size() - first));
      Writer writer(file_, std::max(memory_ / 4, kLeastBuffer));
      merge(group, memory_ / 2, [&](const Key& key, std::span<const std::byte> payload) {
        writer.add(key, payload);
        return true;
      });
      longer.push_back(writer.finish());
      for (const Run& run : group) file_.release(run.at, run.bytes);
    }
    runs_ = std::move(longer);
  }
}

void Runs::merge(std::span<const Run> runs, std::size_t memory, const Visit& visit) const {
  const std::size_t buffer = std::max(kLeastBuffer, memory / runs.size());
  std::vector<Reader> readers;
  readers.reserve(runs.size());
  for (const Run& run : runs) readers.emplace_back(file_, run, buffer);
  const auto later = [&](std::size_t x, std::size_t y) { return readers[y].key() < readers[x].key(); };
  std::vector<std::size_t> heap;
  for (std::size_t i = 0; i < readers.size(); ++i)
    if (!readers[i].at_end()) heap.push_back(i);
  std::make_heap(heap.begin(), heap.end(), later);
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end(), later);
    Reader& reader = readers[heap.back()];
    if (!visit(reader.key(), reader.payload())) return;
    reader.next();
    if (reader.at_end())
      heap.pop_back();
    else
      std::push_heap(heap.begin(), heap.end(), later);
  }
}

void Runs::for_each(const Visit& visit) const {
  if (!runs_.empty()) return merge(runs_, memory_, visit);
  for (const Entry& entry : entries_) {
    const std::byte* record = bytes_.data() + entry.at;
    if (!visit(entry.key, std::span(record + kHead, size_of(record) - kHead))) return;
  }
}

}  // namespace sightline::scale
