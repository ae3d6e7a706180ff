// Brute force that scales: every pair of triangles whose boxes overlap, decided by `exact::decide`.
//
// It shares the exact decision with the library, and nothing else: no grid, no filter, no group, no float. The decision
// itself is held against rationals (tests/exact, tests/oracle/brute_test.cpp), so a scene of 200,000 triangles has a
// reference that rationals could not give in time.
#pragma once

#include <vector>

#include "sightline/contact.h"
#include "sightline/mesh.h"

namespace oracle {

/// All contacts of the objects, in canonical order; `self[i]`: object i is tested with itself too.
std::vector<sightline::Contact> brute_contacts(const std::vector<sightline::MeshView>& objects,
                                               const std::vector<bool>& self);

}  // namespace oracle
