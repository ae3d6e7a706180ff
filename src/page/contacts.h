// The contacts of a frame as bytes of a report page: clusters, what each contact joins, and where it is.
#pragma once

#include "page/bytes.h"
#include "report/clusters.h"

namespace sightline::report {

struct ListedContacts {
  std::uint64_t contacts = 0;         ///< that are in the bytes
  std::uint64_t exact_triangles = 0;  ///< of those in contact, drawn from full precision
};

/// Clusters in their order, with at most `most_contacts` contacts in all; those of the last cluster may be cut. Of the
/// triangles in contact, `most_triangles` are told with their corners in 24 bits over the box of those of their
/// cluster; the page takes the others from the mesh, whose positions have 16 bits over the box of the part.
ListedContacts append_contacts(PageBytes& bytes, const Contacts& contacts, const Outlines& outlines,
                               const Clusters& clusters, std::size_t most_contacts, std::size_t most_triangles);

}  // namespace sightline::report
