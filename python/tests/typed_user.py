"""A program that uses the package; mypy checks it, and its wrong lines must be errors."""
from typing import Dict, List, Optional

import sightline

report: sightline.Report = sightline.self_intersections([[0.0, 0.0, 0.0]], [], threads=2, first=True)
found: int = report.found
counts: Dict[str, int] = report.counts
contact: sightline.Contact = report[0] if report else sightline.Contact(0, 0, 0, 1, sightline.Kind.crossing)
rows: List[sightline.Clash] = sightline.clash({"a": ([], [])}, clearance=1.0)
gap: List[Optional[float]] = [row.gap for row in rows]
wrong: str = report.found  # type: ignore[assignment]
report.found = 3  # type: ignore[misc]
sightline.self_intersections([], [], thread=2)  # type: ignore[call-arg]
