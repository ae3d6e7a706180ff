"""Parts: relations, distances, topology, sides."""
from __future__ import annotations

import dataclasses
import enum
import math
import os
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Tuple, Union

from . import _core
from ._arrays import export, need
from ._measures import Extent, Interval, Separation, _extent
from ._mesh import Mesh, core_mesh
from ._query import Progress, progress_of
from ._report import PathLike, Report, html_table, inline


class Side(enum.IntEnum):
    """Sides of a closed surface."""

    outside = 0
    inside = 1
    on = 2


@dataclasses.dataclass(frozen=True)
class Topology:
    """Facts about one mesh. Positions that are equal are one vertex."""

    components: int  #: sets of triangles joined by shared vertices
    vertices: int  #: distinct positions that triangles use
    open_edges: int  #: edges of an odd number of triangles
    nonmanifold_edges: int  #: edges of more than two triangles
    duplicates: int  #: triangles whose corners an earlier triangle has
    closed: bool  #: triangles with area and no open edge
    degenerate: Any = dataclasses.field(repr=False, compare=False)  #: triangles without area, ascending
    vertex: Any = dataclasses.field(repr=False, compare=False)  #: of each position: the first position equal to it
    component: Any = dataclasses.field(repr=False, compare=False)  #: of each triangle


@dataclasses.dataclass(frozen=True)
class Clash:
    """The relation of two parts that are not clear of each other (docs/definitions.md)."""

    a: int
    b: int
    name_a: str
    name_b: str
    relation: str  #: "near", "touch", "contains" or "clash"
    inner: Optional[int]  #: for contains: the part that lies inside the other
    gap: Optional[float]  #: smallest distance of the surfaces; 0 if they meet; None if it was not computed
    touching: int = 0
    crossing: int = 0
    coplanar: int = 0
    duplicate: int = 0
    tolerated: bool = False  #: the parts clash, and `tolerance` made the relation "touch"
    depth: Optional[Interval] = None  #: with `depth`, of two closed parts: the greater one of their protrusions
    deepest: Optional[Tuple[float, float, float]] = None  #: the deepest point, on the surface of one part
    surface: Optional[Tuple[float, float, float]] = None  #: the nearest point of the other part's surface
    volume: Optional[Interval] = None  #: with `volume`, of two parts that enclose volumes: of their overlap
    nearest: Optional[Tuple[Any, Any]] = None  #: a point of each part, as far apart as the gap, if it was computed
    overlap: Optional[Extent] = None  #: with `volume`: also its area, centroid and bounds
    separation: Optional[Separation] = None  #: with `separation`, and of each pair that is tolerated


class ClashTable(List[Clash]):
    """A list of Clash, sorted by (a, b), with the statistics of the query and its contacts."""

    stats: Dict[str, Any]
    report: Optional[Report]
    clearance: float

    def to_dict(self) -> Dict[str, List[Any]]:
        """The columns: one list for each field of Clash."""
        return {field.name: [getattr(row, field.name) for row in self] for field in dataclasses.fields(Clash)}

    def to_pandas(self) -> Any:
        """A pandas.DataFrame with a row for each pair."""
        return need("pandas", "ClashTable.to_pandas").DataFrame(self.to_dict())

    def to_html(self, path: PathLike, title: str = "", up: int = 2) -> None:
        """As Report.to_html, with the relations of the parts."""
        report = self._shown("to_html")
        counts = [(row.a, row.b, row.relation, row.a if row.inner is None else row.inner,
                   math.inf if row.gap is None else row.gap,
                   (row.touching, row.crossing, row.coplanar, row.duplicate), row.tolerated,
                   (row.depth, row.deepest, row.surface) if row.depth and row.deepest and row.surface else None,
                   row.volume, row.nearest, row.separation) for row in self]
        _core.write_html(report._core, os.fsencode(path), title or "sightline", up, counts, self.clearance)

    def to_png(self, path: PathLike, width: int = 1600, height: int = 1000, up: int = 2) -> None:
        """As Report.to_png."""
        self._shown("to_png").to_png(path, width, height, up)

    def _shown(self, name: str) -> Report:
        if self.report is None:
            raise ValueError(f"{name}: relations_only left no contacts to show")
        return self.report

    def _repr_html_(self) -> str:
        most = 200
        columns = ["a", "b", "relation", "gap", "contacts"]
        has_depth, has_volume = any(row.depth for row in self), any(row.volume for row in self)
        has_way = any(row.separation for row in self)
        columns += ["depth"] * has_depth + ["volume"] * has_volume + ["separation"] * has_way
        rows = []
        for row in self[:most]:
            names = {row.a: row.name_a, row.b: row.name_b}
            rows.append([row.name_a, row.name_b,
                         row.relation + (f" ({names[row.inner]} inside)" if row.inner is not None else "")
                         + (" (tolerated)" if row.tolerated else ""),
                         "" if row.gap is None else f"{row.gap:.6g}",
                         "" if self.report is None else f"{row.touching + row.crossing + row.coplanar + row.duplicate:,}"]
                        + [f"{row.depth.middle:.6g}" if row.depth else ""] * has_depth
                        + [f"{row.volume.middle:.6g}" if row.volume else ""] * has_volume
                        + [f"{row.separation.length:.6g}" if row.separation else ""] * has_way)
        more = f"<p>and {len(self) - most:,} more pairs</p>" if len(self) > most else ""
        text = f"<p>{len(self):,} pair{'' if len(self) == 1 else 's'} of parts</p>{html_table(columns, rows)}{more}"
        return text if self.report is None else inline(text, self.to_html)

    def __reduce__(self) -> Tuple[Any, ...]:
        return _restored, (list(self), self.stats, self.report, self.clearance)


def _restored(rows: List[Clash], stats: Dict[str, Any], report: Optional[Report], clearance: float) -> ClashTable:
    table = ClashTable(rows)
    table.stats, table.report, table.clearance = stats, report, clearance
    return table


Parts = Union[PathLike, Mapping[str, Any], List[Any], Tuple[Any, ...]]


def parts_of(parts: Parts) -> List[_core.Mesh]:
    """The parts of a file, of a mapping from names to meshes, or of a sequence of meshes."""
    if isinstance(parts, (str, os.PathLike)):
        from ._files import read_parts

        return [part._core for part in read_parts(parts)]
    if isinstance(parts, Mapping):
        return [core_mesh(mesh, None, name) for name, mesh in parts.items()]
    meshes = [core_mesh(mesh) for mesh in parts]
    return [mesh if mesh.name else mesh.renamed(f"part {i}") for i, mesh in enumerate(meshes)]


def clash(parts: Parts, clearance: float = 0.0, *, tolerance: float = 0.0, depth: bool = False, volume: bool = False,
          separation: bool = False, relations_only: bool = False, threads: int = 0, progress: Progress = None,
          device: str = "cpu") -> ClashTable:
    """The pairs of parts that are not clear of each other.

    parts: the path of a file, a mapping from names to meshes, or a sequence of meshes.
    clearance: parts that are closer are "near"; the comparison is exact.
    tolerance: a clash that a shorter translation is verified to end becomes a "touch", with `tolerated`.
    depth, volume: measure how deep the parts of each pair reach into each other, and the volume of their overlap.
    separation: a short translation of the first part that ends all contact, verified.
    relations_only: end the search of a pair as soon as its relation is proven; contacts are then not counted.

    >>> triangle = [[0, 0, 0], [4, 0, 0], [0, 4, 0]], [[0, 1, 2]]
    >>> above = [[0, 0, 1], [4, 0, 1], [0, 4, 1]], [[0, 1, 2]]
    >>> table = clash({"floor": triangle, "roof": above}, clearance=2)
    >>> [(row.name_a, row.name_b, row.relation, row.gap) for row in table]
    [('floor', 'roof', 'near', 1.0)]
    >>> table.to_dict()["relation"]
    ['near']
    """
    meshes = parts_of(parts)
    names = [mesh.name for mesh in meshes]
    rows, stats, contacts = _core.clash(meshes, clearance, tolerance, depth, volume, separation, relations_only, threads,
                                        progress_of(progress, "clash"), device)
    table = ClashTable(
        Clash(a, b, names[a], names[b], relation, inner if relation == "contains" else None,
              0.0 if relation in ("touch", "clash") else gap if math.isfinite(gap) else None, *counts, tolerated,
              *((Interval(*deep[0]), deep[1], deep[2]) if deep else (None, None, None)),
              Interval(*common) if common else None, nearest, _extent(extent) if extent else None,
              Separation(*way) if way else None)
        for a, b, relation, inner, gap, counts, tolerated, deep, common, nearest, extent, way in rows)
    table.stats = stats
    table.report = None if contacts is None else Report(contacts, names)
    table.clearance = clearance
    return table


class RelationOf(NamedTuple):
    relation: str
    inner: Optional[int]  #: for contains: 0 or 1, the mesh that lies inside the other
    gap: float  #: 0 if they meet; infinity if it is not below `clearance`


def relation(a: Any, b: Any, clearance: float = 0.0, *, threads: int = 0) -> RelationOf:
    """The relation of two meshes.

    >>> triangle = [[0, 0, 0], [4, 0, 0], [0, 4, 0]], [[0, 1, 2]]
    >>> relation(triangle, triangle).relation
    'touch'
    """
    name, inner, gap = _core.relation(core_mesh(a), core_mesh(b), clearance, threads)
    return RelationOf(name, inner if name == "contains" else None, gap)


def distance(a: Any, b: Any, *, threads: int = 0) -> float:
    """The smallest distance of the surfaces of two meshes: the exact distance, rounded to nearest; 0 if they share a
    point. A mesh inside another one has the distance of the surfaces. Infinity if a mesh has no triangles.

    >>> distance(([[0, 0, 0], [4, 0, 0], [0, 4, 0]], [[0, 1, 2]]), ([[0, 0, 3], [4, 0, 3], [0, 4, 3]], [[0, 1, 2]]))
    3.0
    """
    gap: float = _core.relation(core_mesh(a), core_mesh(b), math.inf, threads)[2]
    return gap


def topology(vertices: Any, faces: Any = None, *, threads: int = 0) -> Topology:
    """Components, open edges, degenerate triangles and duplicates of a mesh.

    >>> topology([[0, 0, 0], [4, 0, 0], [0, 4, 0]], [[0, 1, 2]])
    Topology(components=1, vertices=3, open_edges=3, nonmanifold_edges=0, duplicates=0, closed=False)
    """
    facts = _core.topology(core_mesh(vertices, faces), threads)
    for name in ("degenerate", "vertex", "component"):
        facts[name] = export(facts[name])
    return Topology(**facts)


def side_of(mesh: Any, points: Any, *, threads: int = 0) -> Any:
    """The side of a closed mesh on which points lie, decided exactly. A Side for one point, an array of uint8 for
    (n, 3) points.

    >>> corners = [[0, 0, 0], [3, 0, 0], [0, 3, 0], [0, 0, 3]]
    >>> tetrahedron = corners, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]
    >>> side_of(tetrahedron, [0.5, 0.5, 0.5]), side_of(tetrahedron, [[9, 9, 9], [1, 1, 0]]).tolist()
    (<Side.inside: 1>, [0, 2])
    """
    if hasattr(points, "shape"):  # the elements of some arrays are arrays without dimensions
        one = tuple(points.shape) == (3,)
    else:
        one = hasattr(points, "__len__") and len(points) == 3 and not hasattr(points[0], "__len__")
    sides = export(_core.side_of(core_mesh(mesh), [list(map(float, points))] if one else points, threads))
    return Side(int(sides[0])) if one else sides


def intersection(a: Any, b: Any) -> Any:
    """The intersection of two triangles (3, 3): (k, 3) with k = 0 none, 1 a point, 2 a segment, 3 to 6 a polygon.

    >>> intersection([[0, 0, 0], [4, 0, 0], [0, 4, 0]], [[1, 1, -1], [1, 1, 1], [2, 1, 1]]).tolist()
    [[1.0, 1.0, 0.0], [1.5, 1.0, 0.0]]
    """
    return export(_core.intersection(a, b))


def devices() -> List[Dict[str, Any]]:
    """The devices of this build and what is missing for each that cannot be used.

    >>> devices()[0]["name"]
    'cpu'
    """
    return [{"name": name, "missing": missing, "facts": facts} for name, missing, facts in _core.devices()]
