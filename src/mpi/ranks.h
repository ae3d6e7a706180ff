// The ranks of a communicator: errors that all of them throw, and exchanges of typed data.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "base/format.h"
#include "sightline/mesh.h"

namespace sightline::mpi {

class Ranks {
 public:
  explicit Ranks(MPI_Comm comm) : comm_(comm) {
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &size_);
  }
  MPI_Comm comm() const { return comm_; }
  int rank() const { return rank_; }
  int size() const { return size_; }

  /// Runs work() on each rank. If it throws on any of them, all ranks throw the error of the first such rank. Between
  /// two calls no rank may leave on its own: the others would wait for it forever.
  template <typename Work>
  void together(const Work& work) const {
    std::string message;
    try {
      work();
    } catch (const std::bad_alloc&) {
      message = "not enough memory";
    } catch (const std::exception& error) {
      message = error.what();
    }
    const int mine = message.empty() ? size_ : rank_;
    int first = size_;
    MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm_);
    if (first == size_) return;
    auto length = static_cast<int>(message.size());
    MPI_Bcast(&length, 1, MPI_INT, first, comm_);
    message.resize(static_cast<std::size_t>(length));
    MPI_Bcast(message.data(), length, MPI_CHAR, first, comm_);
    throw Error(formatted("rank {}: {}", first, message));
  }

  std::uint64_t sum(std::uint64_t mine) const { return sum(std::vector{mine})[0]; }
  std::uint64_t max(std::uint64_t mine) const { return max(std::vector{mine})[0]; }
  /// Of each number.
  std::vector<std::uint64_t> sum(const std::vector<std::uint64_t>& mine) const { return reduced(mine, MPI_SUM); }
  std::vector<std::uint64_t> max(const std::vector<std::uint64_t>& mine) const { return reduced(mine, MPI_MAX); }
  /// The sum over the ranks before this one.
  std::uint64_t sum_before(std::uint64_t mine) const {
    std::uint64_t before = 0;
    MPI_Exscan(&mine, &before, 1, MPI_UINT64_T, MPI_SUM, comm_);
    return rank_ == 0 ? 0 : before;
  }

  /// The items of all ranks, in the order of ranks; less than 2 GiB from each and 2^31 in all.
  template <typename Item>
  std::vector<Item> gathered(const std::vector<Item>& mine) const {
    const Type<Item> type;
    const auto count = static_cast<int>(mine.size());
    std::vector<int> counts(static_cast<std::size_t>(size_)), begins(static_cast<std::size_t>(size_));
    MPI_Allgather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, comm_);
    std::vector<Item> all(static_cast<std::size_t>(begin_of(counts, begins)));
    MPI_Allgatherv(mine.data(), count, type.handle, all.data(), counts.data(), begins.data(), type.handle, comm_);
    return all;
  }

  template <typename Item>
  struct Received {
    std::vector<Item> items;
    std::vector<int> begins;  ///< of the items of each rank
  };
  /// Each rank gets the items that all ranks have for it, by rank. Callers bound what is sent in one call.
  template <typename Item>
  Received<Item> exchanged(const std::vector<std::vector<Item>>& to) const {
    const Type<Item> type;
    std::vector<int> sent, received(to.size()), sent_begin(to.size()), received_begin(to.size());
    std::vector<Item> out;
    for (const std::vector<Item>& list : to) {
      sent.push_back(static_cast<int>(list.size()));
      out.insert(out.end(), list.begin(), list.end());
    }
    MPI_Alltoall(sent.data(), 1, MPI_INT, received.data(), 1, MPI_INT, comm_);
    begin_of(sent, sent_begin);
    std::vector<Item> in(static_cast<std::size_t>(begin_of(received, received_begin)));
    MPI_Alltoallv(out.data(), sent.data(), sent_begin.data(), type.handle, in.data(), received.data(),
                  received_begin.data(), type.handle, comm_);
    return {std::move(in), std::move(received_begin)};
  }

 private:
  std::vector<std::uint64_t> reduced(const std::vector<std::uint64_t>& mine, MPI_Op op) const {
    if (mine.empty()) return {};
    std::vector<std::uint64_t> all(mine.size());
    MPI_Allreduce(mine.data(), all.data(), static_cast<int>(mine.size()), MPI_UINT64_T, op, comm_);
    return all;
  }
  /// Counts are in items, so that they fit an int.
  template <typename Item>
  struct Type {
    static_assert(std::is_trivially_copyable_v<Item>);
    Type() {
      MPI_Type_contiguous(sizeof(Item), MPI_BYTE, &handle);
      MPI_Type_commit(&handle);
    }
    Type(const Type&) = delete;
    Type& operator=(const Type&) = delete;
    ~Type() { MPI_Type_free(&handle); }
    MPI_Datatype handle;
  };
  static int begin_of(const std::vector<int>& counts, std::vector<int>& begins) {
    int sum = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) begins[i] = sum, sum += counts[i];
    return sum;
  }

  MPI_Comm comm_;
  int rank_ = 0, size_ = 1;
};

}  // namespace sightline::mpi
