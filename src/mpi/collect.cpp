#include "mpi/collect.h"

#include <exception>

namespace sightline::mpi {
namespace {

using scale::Key;

constexpr std::size_t kMessage = std::size_t{1} << 20;
constexpr int kTag = 20;

/// Messages of records; an empty one is the last.
void send_all(const Ranks& ranks, const scale::Runs& list, std::uint64_t shift) {
  std::vector<std::byte> bytes;
  const auto send = [&] {
    MPI_Send(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, 0, kTag, ranks.comm());
    bytes.clear();
  };
  std::exception_ptr failure;
  try {
    list.for_each([&](const Key& key, std::span<const std::byte> payload) {
      const Key shifted{key.a, key.b + shift};
      const std::size_t at = bytes.size();
      bytes.resize(at + sizeof(Key) + 1 + payload.size());
      std::memcpy(bytes.data() + at, &shifted, sizeof(Key));
      bytes[at + sizeof(Key)] = static_cast<std::byte>(payload.size());
      std::copy(payload.begin(), payload.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at + sizeof(Key) + 1));
      if (bytes.size() > kMessage) send();
      return true;
    });
  } catch (...) {
    failure = std::current_exception();
    bytes.clear();
  }
  if (!bytes.empty()) send();
  send();
  if (failure) std::rethrow_exception(failure);
}

void add_all(std::span<const std::byte> bytes, scale::Runs& list) {
  while (!bytes.empty()) {
    Key key;
    std::memcpy(&key, bytes.data(), sizeof(Key));
    const auto size = std::to_integer<std::size_t>(bytes[sizeof(Key)]);
    list.add(key, bytes.subspan(sizeof(Key) + 1, size));
    bytes = bytes.subspan(sizeof(Key) + 1 + size);
  }
}

/// After an error the remaining messages are received and dropped, so that no rank waits.
void receive_all(const Ranks& ranks, scale::Runs& list) {
  std::exception_ptr failure;
  std::vector<std::byte> bytes;
  for (int from = 1; from < ranks.size(); ++from) {
    do {
      MPI_Status status;
      int size = 0;
      MPI_Probe(from, kTag, ranks.comm(), &status);
      MPI_Get_count(&status, MPI_BYTE, &size);
      bytes.resize(static_cast<std::size_t>(size));
      MPI_Recv(bytes.data(), size, MPI_BYTE, from, kTag, ranks.comm(), MPI_STATUS_IGNORE);
      try {
        if (!failure) add_all(bytes, list);
      } catch (...) {
        failure = std::current_exception();
      }
    } while (!bytes.empty());
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace

void collect(const Ranks& ranks, scale::Runs& list, std::uint64_t shift) {
  if (ranks.rank() == 0)
    receive_all(ranks, list);
  else
    send_all(ranks, list, shift);
}

}  // namespace sightline::mpi
