// Contacts that are not in memory, written batch by batch.
#pragma once

#include <vector>

#include "report/document.h"
#include "sightline/huge.h"

namespace sightline::report {

/// Formats the first `most` contacts by all threads. make_put() gives a function for a row of contacts, which one
/// thread calls: put(i, contact, bytes) appends contact i.
template <typename MakePut>
void write_contacts(Output& output, const HugeReport& report, std::uint64_t most, const WriteOptions& options,
                    const MakePut& make_put) {
  constexpr std::size_t kAtOnce = 4 * kBlock;
  std::vector<HugeContact> batch;
  batch.reserve(static_cast<std::size_t>(std::min<std::uint64_t>({kAtOnce, most, report.found})));
  std::uint64_t first = 0;
  const auto flush = [&] {
    write_items(output, batch.size(), options, [&](std::size_t begin, std::size_t end, Buffer& bytes) {
      auto put = make_put();
      for (std::size_t i = begin; i < end; ++i) put(first + i, batch[i], bytes);
    });
    first += batch.size();
    batch.clear();
  };
  if (most > 0)
    report.for_contacts([&](const HugeContact& contact) {
      batch.push_back(contact);
      if (batch.size() == kAtOnce) flush();
      return first + batch.size() < most;
    });
  flush();
}

/// The kinds of the first `most` contacts.
inline KindCounts count_kinds(const HugeReport& report, std::uint64_t most) {
  KindCounts counts;
  if (most >= report.found) {
    std::copy(std::begin(report.counts), std::end(report.counts), counts.of);
  } else if (most > 0) {
    std::uint64_t left = most;
    report.for_contacts([&](const HugeContact& contact) {
      ++counts.of[static_cast<int>(contact.kind)];
      return --left > 0;
    });
  }
  return counts;
}

}  // namespace sightline::report
