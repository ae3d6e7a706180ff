"""One array in every type, order and protocol that the module accepts. Needs NumPy."""
import numpy as np


class OnlyInterface:
    """An array with __array_interface__ and nothing else."""

    def __init__(self, values):
        self.values = values
        self.__array_interface__ = values.__array_interface__


class OnlyDlpack:
    """An array with __dlpack__ and nothing else."""

    def __init__(self, values):
        self.values = values

    def __dlpack__(self, stream=None):
        return self.values.__dlpack__()

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


class OnlyArray:
    """An object with __array__ and nothing else."""

    def __init__(self, values):
        self.values = values

    def __array__(self):
        return self.values


def unaligned(values):
    raw = np.zeros(values.nbytes + 1, np.uint8)
    moved = raw[1:].view(values.dtype).reshape(values.shape)
    moved[:] = values
    return moved


def read_only(values):
    copy = values.copy()
    copy.flags.writeable = False
    return copy


def layouts(values):
    """(name, array, whether Mesh copies it) for a C-contiguous array of a type that Mesh uses in place."""
    name = values.dtype.name
    yield name, values, False
    yield f"{name}, read-only", read_only(values), False
    yield f"{name}, Fortran order", np.asfortranarray(values), True
    yield f"{name}, every second row", np.repeat(values, 2, axis=0)[::2], True
    yield f"{name}, backwards", values[::-1].copy()[::-1], True
    yield f"{name}, columns of a wider array", np.hstack([values, values])[:, :3], True
    yield f"{name}, other byte order", values.astype(values.dtype.newbyteorder()), True
    yield f"{name}, unaligned", unaligned(values), True
    yield f"{name}, buffer", memoryview(values), False
    yield f"{name}, buffer in Fortran order", memoryview(np.asfortranarray(values)), True
    yield f"{name}, interface", OnlyInterface(values), False
    yield f"{name}, interface in Fortran order", OnlyInterface(np.asfortranarray(values)), True
    yield f"{name}, interface, other byte order", OnlyInterface(values.astype(values.dtype.newbyteorder())), True
    yield f"{name}, DLPack", OnlyDlpack(values), False
    yield f"{name}, DLPack in Fortran order", OnlyDlpack(np.asfortranarray(values)), True
    yield f"{name}, __array__", OnlyArray(values), False


def vertex_forms(values):
    """Of positions. Types that round a coordinate are left out."""
    for name in ("float64", "float32", "float16"):
        with np.errstate(over="ignore"):
            other = values.astype(name)
        if not np.array_equal(other.astype(np.float64), values.astype(np.float64)):
            continue
        if name == "float16":
            yield name, other, True
            yield f"{name}, other byte order", other.astype(">f2"), True
        else:
            yield from layouts(other)
    if np.array_equal(np.trunc(values), values) and np.abs(values).max(initial=0) < 2**53:
        yield "int64", values.astype(np.int64), True
    if len(values) <= 2000:
        yield "lists", values.tolist(), True


def face_forms(values):
    """Of faces."""
    yield from layouts(values.astype(np.uint32))
    yield from layouts(values.astype(np.int32))
    most = int(values.max(initial=0))
    for name in ("int8", "uint8", "int16", "uint16", "int64", "uint64"):
        if most <= np.iinfo(name).max:
            other = values.astype(name)
            yield name, other, True
            yield f"{name}, Fortran order", np.asfortranarray(other), True
            yield f"{name}, other byte order", other.astype(other.dtype.newbyteorder()), True
            yield f"{name}, DLPack", OnlyDlpack(other), True
    if len(values) <= 2000:
        yield "lists", values.tolist(), True
