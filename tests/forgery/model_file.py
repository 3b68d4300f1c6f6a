"""Model files taken apart and put together by hand, with a checksum that is right whatever they say.

A forger knows the format: what he writes must be found out by the check of its content.
"""
import copy
import ctypes
import ctypes.util
import json
import struct

DTYPES = {"F64": ("d", 8), "U64": ("Q", 8), "U32": ("I", 4), "U8": ("B", 1)}
ZEROS = "0" * 32


class _Hash128(ctypes.Structure):
    _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_uint64)]


def _library():
    """The hash of the program comes from this library, so it is where the program is."""
    found = ctypes.CDLL(ctypes.util.find_library("xxhash") or "libxxhash.so.0")
    found.XXH3_128bits.restype = _Hash128
    found.XXH3_128bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
    return found


_hash = _library()


def fingerprint(data):
    value = _hash.XXH3_128bits(data, len(data))
    return f"{value.high:016x}{value.low:016x}"


def sealed(header, data):
    """The bytes of a file with this header (text whose checksum is ZEROS) and these tensors."""
    text = header.encode("utf-8")
    file = struct.pack("<Q", len(text)) + text + data
    at = file.index(b'"checksum":"') + len('"checksum":"')
    assert file[at:at + 32] == ZEROS.encode()
    return file[:at] + fingerprint(file).encode() + file[at + 32:]


class ModelFile:
    """`fields`: what is quoted in the header. `tensors`: name -> [dtype, shape, list of numbers], in the file's order."""

    def __init__(self, data):
        length = struct.unpack("<Q", data[:8])[0]
        header = json.loads(data[8:8 + length])
        self.fields = json.loads(header.pop("__metadata__")["halfspace"])
        self.tensors = {}
        for name, entry in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
            begin, end = (8 + length + at for at in entry["data_offsets"])
            code, size = DTYPES[entry["dtype"]]
            self.tensors[name] = [entry["dtype"], entry["shape"],
                                  list(struct.unpack(f"<{(end - begin) // size}{code}", data[begin:end]))]

    def copy(self):
        return copy.deepcopy(self)

    # ---- tensors

    def numbers(self, name):
        return self.tensors[name][2]

    def put(self, name, numbers, shape=None, dtype=None):
        """Replaces or adds a tensor; lists keep their number of dimensions unless a shape is given."""
        old = self.tensors.get(name, [dtype or "F64", [len(numbers)], []])
        if shape is None:
            shape = [len(numbers)] if len(old[1]) == 1 else [old[1][0], len(numbers) // max(1, old[1][0])]
        self.tensors[name] = [dtype or old[0], shape, list(numbers)]

    @property
    def certificate(self):
        return json.loads(bytes(self.numbers("certificate")))

    @certificate.setter
    def certificate(self, value):
        text = value if isinstance(value, str) else json.dumps(value)
        self.put("certificate", text.encode("utf-8"), dtype="U8")

    # ---- fields

    def _pair(self, kind, key):
        return next(pair for pair in self.fields[kind] if pair[0] == key)

    def option(self, key, value=None):
        if value is not None:
            self._pair("options", key)[1] = value
        return self._pair("options", key)[1]

    def fact(self, key, value=None):
        if value is not None:
            self._pair("facts", key)[1] = value
        return self._pair("facts", key)[1]

    # ---- the whole file

    def bytes(self, fields_text=None):
        header = {"__metadata__": {"checksum": ZEROS,
                                   "halfspace": json.dumps(self.fields) if fields_text is None else fields_text}}
        data = b""
        for name, (dtype, shape, numbers) in self.tensors.items():
            code, size = DTYPES[dtype]
            raw = struct.pack(f"<{len(numbers)}{code}", *numbers)
            header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(raw)]}
            data += raw
        text = json.dumps(header)
        text = text.replace('"checksum": "', '"checksum":"', 1)
        return sealed(text + " " * (-len(text) % 8), data)
