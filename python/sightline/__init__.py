"""Every collision and self-intersection of triangle meshes, exactly.

>>> import sightline
>>> vertices = [[0, 0, 0], [4, 0, 0], [0, 4, 0], [1, 1, -1], [1, 1, 1], [2, 1, 1]]
>>> report = sightline.self_intersections(vertices, [[0, 1, 2], [3, 4, 5]])
>>> report
<sightline.Report: 1 contact (1 crossing) of 2 triangles>
>>> report.pairs.tolist()
[[0, 1]]

Every answer is exact for the coordinates as given: no tolerance is used, nothing is missed and nothing is invented.
docs/definitions.md defines contacts, kinds and relations.
"""
from ._core import DeviceError, Error
from ._core import version as __version__
from ._files import Check, check, read, read_parts, write
from ._many import check_many
from ._manager import CollisionManager, ContactData, DistanceData
from ._measures import (ContactNormals, Curve, CurveArea, CurvePoints, Curves, Extent, Interval, Manifold, Protrusion,
                        Protrusions, Separation, cluster_separation, contact_normals, curves, extent, manifold, overlap,
                        protrusions, self_overlap, separation)
from ._mesh import Mesh
from ._parts import (Clash, ClashTable, Side, Topology, clash, devices, distance, intersection, relation, side_of,
                     topology)
from ._gpu import GpuReport
from ._query import self_intersections, self_intersections_gpu
from ._report import Contact, Kind, RaggedPoints, Report
from ._scene import Scene

__all__ = [
    "Check", "Clash", "ClashTable", "CollisionManager", "Contact", "ContactData", "ContactNormals", "Curve", "CurveArea",
    "CurvePoints", "Curves", "DeviceError", "DistanceData", "Error", "Extent", "GpuReport", "Interval", "Kind",
    "Manifold", "Mesh", "Protrusion", "Protrusions", "RaggedPoints", "Report", "Scene", "Separation", "Side", "Topology",
    "__version__", "check", "check_many", "clash", "cluster_separation", "contact_normals", "curves", "devices", "distance", "extent",
    "intersection", "manifold", "overlap", "protrusions", "read", "read_parts", "relation", "self_intersections",
    "self_intersections_gpu", "self_overlap", "separation", "side_of", "topology", "write",
]
