"""Volumes, areas and centroids as intervals that are proven to contain the true value; contacts as curves."""
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


def self_overlap(vertices: Any, faces: Any = None, *, threads: int = 0) -> Interval:
    """The volume in which a closed part overlaps itself.

    >>> corners = [[0, 0, 0], [3, 0, 0], [0, 3, 0], [0, 0, 3]]
    >>> volume = self_overlap(corners, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
    >>> volume.low <= 0 <= volume.high, volume.width < 1e-9
    (True, True)
    """
    return Interval(*_core.self_overlap(core_mesh(vertices, faces), threads))


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
