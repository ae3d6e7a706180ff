"""Results as arrays: of NumPy where it is installed, else memoryviews."""
from __future__ import annotations

from typing import Any, Callable, Optional

_asarray: Optional[Callable[[Any], Any]] = None
try:
    import numpy

    _asarray = numpy.asarray
except ImportError:
    pass


def export(array: Any) -> Any:
    """A NumPy array, or a memoryview of the same shape where NumPy is not installed. Neither copies.

    >>> from sightline import _arrays, _core
    >>> mesh = _core.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    >>> _arrays.export(mesh.faces).tolist()
    [[0, 1, 2]]
    """
    if _asarray is not None:
        return _asarray(array)
    return memoryview(array)


def need(package: str, purpose: str) -> Any:
    """The module of an optional package; an ImportError names the package and what it is for.

    >>> need("no_such_package", "a test")
    Traceback (most recent call last):
        ...
    ImportError: a test needs the Python package no_such_package, which is not installed
    """
    import importlib

    try:
        return importlib.import_module(package)
    except ImportError as error:
        raise ImportError(f"{purpose} needs the Python package {package}, which is not installed") from error
