// The writers of sightline::io and the reports of sightline::papers, by their plain names.
#pragma once

#include "sightline/papers.h"
#include "write/output.h"
#include "write/text.h"

namespace sightline::report {

using namespace write;
using papers::MethodName;
using papers::MethodReport;
using papers::Pass;
using papers::Penetration;
using papers::Report;
using papers::TriangleRef;

}  // namespace sightline::report
