"""Volumes, areas, centroids and depths as intervals that are proven to contain the true value; separations and normals;
contacts as curves."""
from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from . import _core
from ._arrays import export
from ._mesh import core_mesh
from ._report import Report


class Interval(NamedTuple):
    """A closed interval that contains the true value."""

    low: float
    high: float

    @property
    def middle(self) -> float:
        return 0.5 * self.low + 0.5 * self.high

    @property
    def width(self) -> float:
        return self.high - self.low


class Extent(NamedTuple):
    """Volume, area and centroid of a body; its box has the corners `low` and `high`."""

    volume: Interval
    area: Interval
    centroid: Optional[Tuple[Interval, Interval, Interval]]  #: None if the volume is exactly 0
    low: Tuple[float, float, float]
    high: Tuple[float, float, float]


class Protrusion(NamedTuple):
    """The deepest point of one part's surface below the surface of another part."""

    depth: Interval  #: exactly (0, 0) if no point of the surface lies inside the other part
    point: Tuple[float, float, float]  #: the deepest point
    nearest: Tuple[float, float, float]  #: the nearest point of the other surface
    triangle: int  #: that the point lies on
    other_triangle: int  #: of the other part, that the nearest point lies on


class Protrusions(NamedTuple):
    a: Protrusion  #: of a's surface inside b
    b: Protrusion  #: of b's surface inside a


class Separation(NamedTuple):
    """A translation that ends all contact, which the exact query has verified."""

    translation: Tuple[float, float, float]  #: of a; b can move by its opposite instead
    length: float  #: rounded up
    lower_bound: float  #: no shorter translation ends the contact


class ContactNormals(NamedTuple):
    directions: Any  #: (k, 3), of length 1: in which the first triangle leaves the second one soonest
    depths: Any  #: (k,): how far it has to move


class Manifold(NamedTuple):
    """The contacts of one place, for a solver."""

    direction: Tuple[float, float, float]  #: of length 1: in which the first object leaves the second one soonest
    depth: float  #: how far it has to move
    points: Any  #: (k, 3): at most four of the common points, the outermost across the direction


class CurvePoints(NamedTuple):
    """Points at which two triangles meet."""

    positions: Any  #: (n, 3), rounded to nearest
    contacts: Any  #: (n,): a contact that the next piece of the curve belongs to
    in_a: Any  #: (n, 3): barycentric coordinates in the contact's first triangle
    in_b: Any  #: (n, 3): in its second triangle


class Curve(NamedTuple):
    points: CurvePoints  #: in order; the last point of a closed curve joins the first, which is not repeated
    closed: bool
    crossing: bool  #: the surfaces cross along all of it
    area: Optional[int]  #: the area of which it is a boundary
    length: Interval


class CurveArea(NamedTuple):
    contacts: Any  #: numbers of contacts, ascending
    area: Interval


class Curves(NamedTuple):
    curves: List[Curve]
    areas: List[CurveArea]
    points: CurvePoints  #: single points, on no curve and no area


def _extent(facts: Dict[str, Any]) -> Extent:
    centroid = None
    if facts["centroid"] is not None:
        x, y, z = facts["centroid"]
        centroid = (Interval(*x), Interval(*y), Interval(*z))
    return Extent(Interval(*facts["volume"]), Interval(*facts["area"]), centroid, facts["low"], facts["high"])


def extent(vertices: Any, faces: Any = None, *, threads: int = 0) -> Extent:
    """The extent of one closed part. Raises Error if it encloses no volume.

    >>> corners = [[0, 0, 0], [3, 0, 0], [0, 3, 0], [0, 0, 3]]
    >>> body = extent(corners, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
    >>> body.volume.low <= 4.5 <= body.volume.high, body.volume.width < 1e-9
    (True, True)
    """
    return _extent(_core.extent(core_mesh(vertices, faces), threads))


def overlap(a: Any, b: Any, *, threads: int = 0) -> Extent:
    """The extent of the overlap of two closed parts.

    >>> corners = [[0, 0, 0], [3, 0, 0], [0, 3, 0], [0, 0, 3]]
    >>> part = corners, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]
    >>> common = overlap(part, part)
    >>> common.volume.low <= 4.5 <= common.volume.high
    True
    """
    return _extent(_core.overlap(core_mesh(a), core_mesh(b), threads))


def self_overlap(vertices: Any, faces: Any = None, *, threads: int = 0) -> Extent:
    """The extent of the overlap of a closed part with itself. Each point counts once for each pair of its layers.

    >>> corners = [[0, 0, 0], [3, 0, 0], [0, 3, 0], [0, 0, 3]]
    >>> common = self_overlap(corners, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
    >>> common.volume, common.centroid
    (Interval(low=0.0, high=0.0), None)
    """
    return _extent(_core.self_overlap(core_mesh(vertices, faces), threads))


def _protrusion(facts: _core._Protrusion) -> Protrusion:
    return Protrusion(Interval(*facts[0]), *facts[1:])


def protrusions(a: Any, b: Any, *, threads: int = 0) -> Protrusions:
    """How deep two closed parts reach into each other. Raises Error if a part is open.

    >>> corners = [[0, 0, 0], [3, 0, 0], [0, 3, 0], [0, 0, 3]]
    >>> faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]
    >>> above = [[x, y, z + 2] for x, y, z in corners]
    >>> both = protrusions((corners, faces), (above, faces))
    >>> both.a.depth.low > 0, both.a.depth == both.b.depth or both.a.depth.low > both.b.depth.high - 1
    (True, True)
    """
    of_a, of_b = _core.protrusions(core_mesh(a), core_mesh(b), threads)
    return Protrusions(_protrusion(of_a), _protrusion(of_b))


def separation(a: Any, b: Any, *, threads: int = 0) -> Separation:
    """A short translation of a after which the parts share no point and neither lies inside the other.

    >>> corners = [[0, 0, 0], [3, 0, 0], [0, 3, 0], [0, 0, 3]]
    >>> part = corners, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]
    >>> way = separation(part, part)
    >>> moved = [[x + way.translation[0], y + way.translation[1], z + way.translation[2]] for x, y, z in corners]
    >>> import sightline
    >>> sightline.relation((moved, part[1]), part).relation, way.lower_bound <= way.length
    ('clear', True)
    """
    return Separation(*_core.separation(core_mesh(a), core_mesh(b), threads))


def cluster_separation(report: Report, *, threads: int = 0) -> Separation:
    """As `separation`, for the triangles of these contacts alone: after the translation none of the first object's
    triangles among them shares a point with one of the second object's. `Report.clusters` has the contacts of each
    place; `select`, `take` and slices choose others. The contacts are those of one pair of objects, or of one mesh with
    itself, where no triangle may be on both sides. The lower bound is 0.

    >>> import sightline
    >>> vertices = [[0, 0, 0], [4, 0, 0], [0, 4, 0], [1, 1, -1], [1, 1, 3], [2, 1, 3]]
    >>> report = sightline.self_intersections(vertices, [[0, 1, 2], [3, 4, 5]])
    >>> [0.9 < cluster_separation(place).length < 1.1 for place in report.clusters()]
    [True]
    """
    return Separation(*_core.cluster_separation(report._core, threads))


def manifold(report: Report) -> Manifold:
    """One direction and a few points for the contacts of one place (`Report.clusters`). The contacts are those of one
    pair of objects, or of one mesh with itself.

    >>> import sightline
    >>> vertices = [[0, 0, 0], [4, 0, 0], [0, 4, 0], [1, 1, -1], [1, 1, 3], [2, 1, 3]]
    >>> place = manifold(sightline.self_intersections(vertices, [[0, 1, 2], [3, 4, 5]]))
    >>> place.direction[2], place.depth, place.points.tolist()
    (-1.0, 1.0, [[1.0, 1.0, 0.0], [1.25, 1.0, 0.0]])
    """
    direction, depth, points = _core.manifold(report._core)
    return Manifold(direction, depth, export(points))


def contact_normals(report: Report) -> ContactNormals:
    """For each contact of one mesh with itself, or of two objects, the direction in which its first triangle leaves the
    second one soonest, and how far it has to move. A report of more objects has `select` for the contacts of one pair.

    >>> import sightline
    >>> vertices = [[0, 0, 0], [4, 0, 0], [0, 4, 0], [1, 1, -1], [1, 1, 3], [2, 1, 3]]
    >>> normals = contact_normals(sightline.self_intersections(vertices, [[0, 1, 2], [3, 4, 5]]))
    >>> normals.directions.tolist()[0][2], normals.depths.tolist()
    (-1.0, [1.0])
    """
    directions, depths = _core.contact_normals(report._core)
    return ContactNormals(export(directions), export(depths))


def _points(arrays: Tuple[_core.Array, _core.Array, _core.Array, _core.Array]) -> CurvePoints:
    return CurvePoints(*(export(array) for array in arrays))


def curves(report: Report) -> Curves:
    """The contacts of one mesh with itself, or of two objects, joined into curves, loops and areas. A report of more
    objects has `select` for the contacts of one pair.

    >>> import sightline
    >>> vertices = [[0, 0, 0], [4, 0, 0], [0, 4, 0], [1, 1, -1], [1, 1, 1], [2, 1, 1]]
    >>> found = curves(sightline.self_intersections(vertices, [[0, 1, 2], [3, 4, 5]]))
    >>> len(found.curves), found.curves[0].closed, found.curves[0].length.middle
    (1, False, 0.5)
    """
    lines, areas, points = _core.curves(report._core)
    return Curves([Curve(_points(p), closed, crossing, area, Interval(*length))
                   for p, closed, crossing, area, length in lines],
                  [CurveArea(export(contacts), Interval(*area)) for contacts, area in areas], _points(points))
