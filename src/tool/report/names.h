// The writers of sightline::io and the reports of sightline::papers, by their plain names.
#pragma once

#include "sightline/papers.h"
#include "write/output.h"
#include "write/text.h"

namespace sightline::report {

using namespace write;
using write::Buffer;  // not sightline::Buffer
using papers::MethodName;
using papers::MethodReport;
using papers::Pass;
using papers::Penetration;
using papers::Report;
using papers::TriangleRef;

/// `before`, and the value as a JSON string.
inline void append_text(Buffer& text, std::string_view before, std::string_view value) {
  append(text, before);
  append_json(text, value);
}

/// write_items, item by item: `put(i, bytes)` appends item i.
template <typename Put>
void write_each(Output& output, std::size_t count, const WriteOptions& options, const Put& put) {
  write_items(output, count, options, [&](std::size_t begin, std::size_t end, Buffer& bytes) {
    for (std::size_t i = begin; i < end; ++i) put(i, bytes);
  });
}

}  // namespace sightline::report
