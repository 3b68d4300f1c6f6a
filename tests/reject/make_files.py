#!/usr/bin/env python3
"""Writes the input files of the table cases.tsv into the folder files/, so that every byte of them can be read here."""
import pathlib
import struct
import zlib

HERE = pathlib.Path(__file__).resolve().parent / "files"


def rows(third: bytes) -> bytes:
    """A libsvm file whose third line is the one under test."""
    return b"+1 1:0.5 2:1\n-1 1:-0.25\n" + third + b"\n"


def table(fourth: bytes) -> bytes:
    """A table whose fourth line is the one under test."""
    return b"a,b,label\n1,2,x\n3,5,y\n" + fourth + b"\n"


def idx(*sizes: int, body: bytes = b"", kind: int = 8) -> bytes:
    return bytes([0, 0, kind, len(sizes)]) + b"".join(struct.pack(">I", s) for s in sizes) + body


def npy(header: str, body: bytes, version: int = 1, length: int = -1) -> bytes:
    wide = version > 1
    text = header.encode()
    text += b" " * (-(len(text) + 1 + (12 if wide else 10)) % 64) + b"\n"
    size = len(text) if length < 0 else length
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<I" if wide else "<H", size) + text + body


def array(descr: str = "'<f8'", shape: str = "(2, 3)", order: str = "False") -> str:
    return "{'descr': %s, 'fortran_order': %s, 'shape': %s, }" % (descr, order, shape)


SIX = struct.pack("<6d", 1, 2, 3, 4, 5, 6)
MODEL = b"solver_type L2R_LR\nnr_class 2\nlabel 1 -1\nnr_feature 3\nbias -1\nw\n0.5\n-0.25\n2\n"
MACHINE = (b"svm_type c_svc\nkernel_type rbf\ngamma 0.5\nnr_class 2\ntotal_sv 2\nrho 0.5\nlabel 1 -1\nnr_sv 1 1\nSV\n"
           b"1 1:1 2:2\n-1 1:-1\n")
IMAGES = idx(2, 2, 2, body=bytes([0, 9, 7, 0, 3, 0, 0, 8]))

# A certificate that could be one, for four rows of two features.
CERTIFICATE = (b'{"schema":"halfspace.certificate/1",\n"data":{"fingerprint":"00","rows":4,"features":2},\n"values":"decimals",'
               b'"positive":["1"],"negative":["-1"],"offset":"free","verdict":"overlapping",\n'
               b'"witnesses":[{"rows":[1,2,3,4],"weights":["1","1","1","1"]}],"kernel":[]}\n')

# A gzip stream made by hand, so that its bytes are the same with every version of the library.
PACKED = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff" + zlib.compress(IMAGES * 4, 9)[2:-4]

FILES = {
    "libsvm/empty.txt": b"",
    "libsvm/only_comments.txt": b"# nothing here\n\n",
    "libsvm/no_label.txt": rows(b" 1:2 2:3"),
    "libsvm/label_nan.txt": rows(b"nan 1:2"),
    "libsvm/label_infinite.txt": rows(b"inf 1:2"),
    "libsvm/label_junk.txt": rows(b"1x 1:2"),
    "libsvm/label_not_text.txt": rows(b"\xff\xfe1 1:2"),
    "libsvm/label_unicode_minus.txt": rows("−1 1:2".encode()),
    "libsvm/index_zero.txt": rows(b"1 0:2 1:3"),
    "libsvm/index_negative.txt": rows(b"1 -4:2"),
    "libsvm/index_twice.txt": rows(b"1 2:5 2:6"),
    "libsvm/index_descending.txt": rows(b"1 5:5 2:6"),
    "libsvm/index_wraps.txt": rows(b"1 18446744073709551618:2"),
    "libsvm/index_wraps_32.txt": rows(b"1 4294967297:2"),
    "libsvm/index_fraction.txt": rows(b"1 1.5:2"),
    "libsvm/index_missing.txt": rows(b"1 :2"),
    "libsvm/colon_missing.txt": rows(b"1 7 8 9"),
    "libsvm/value_missing.txt": rows(b"1 1:"),
    "libsvm/value_after_space.txt": rows(b"1 1: 2"),
    "libsvm/value_nan.txt": rows(b"1 1:nan"),
    "libsvm/value_infinite.txt": rows(b"1 1:-inf"),
    "libsvm/value_hash_infinite.txt": rows(b"1 1:1.#INF 2:5"),
    "libsvm/value_hash_undefined.txt": rows(b"1 1:-1.#IND # 2"),
    "libsvm/good_comment_at_value.txt": b"+1 1:1.#5\n-1 1:-1#x\n",
    "libsvm/named.csv": b"1 1:2 2:3\n-1 1:3\n",
    "libsvm/value_overflow.txt": rows(b"1 1:1e999"),
    "libsvm/value_hexadecimal.txt": rows(b"1 1:0x1p3"),
    "libsvm/value_comma.txt": rows(b"1 1:2,5"),
    "libsvm/value_long_exponent.txt": rows(b"1 1:1e" + b"9" * 3000),
    "libsvm/nul_byte.txt": rows(b"1 1:2\x00 2:3"),
    "libsvm/utf16.txt": "+1 1:1\n-1 1:2\n".encode("utf-16"),
    "libsvm/query.txt": rows(b"1 qid:3 1:2"),
    "libsvm/one_class.txt": b"1 1:1\n1 1:2\n1 2:3\n",
    "libsvm/no_features.txt": b"1\n-1\n1\n",
    "libsvm/good_no_final_newline.txt": b"+1 1:1\n-1 1:-1",
    "libsvm/good_comments.txt": b"# head\n+1 1:1 # tail\n\n-1 1:-1\n",
    "libsvm/good_label_forms.txt": b"+1 1:1\n1.0 1:2\n-1e0 1:-1\n-1 1:-2\n",
    "libsvm/good_three_labels.txt": b"7 1:1\n-3 2:1\n0 3:1\n",
    "libsvm/good_underflow.txt": b"+1 1:1 2:1e-999\n-1 1:-1\n",
    "libsvm/good_long_mantissa.txt": b"+1 1:1." + b"0" * 4000 + b"\n-1 1:-1\n",
    "libsvm/utf32.txt": "+1 1:1\n-1 1:2\n".encode("utf-32-be"),
    "libsvm/lines_cr.txt": b"+1 1:1\r-1 1:2\r",
    "libsvm/comment_nul.txt": rows(b"1 1:2 # a\x00b"),
    "libsvm/blank_unicode.txt": rows("1 1:1\u2009000".encode()),
    "libsvm/line_separator.txt": rows("1 \u2028:2".encode()),
    "csv/empty.csv": b"",
    "csv/header_only.csv": b"a,b,label\n",
    "csv/short_row.csv": table(b"4,z"),
    "csv/long_row.csv": table(b"4,5,x,9"),
    "csv/open_quote.csv": table(b'4,"5,x'),
    "csv/word_in_numbers.csv": table(b"four,5,x"),
    "csv/nan.csv": table(b"nan,5,x"),
    "csv/overflow.csv": table(b"1e999,5,x"),
    "csv/thousands.csv": table(b'"4,000",5,x'),
    "csv/semicolons.csv": b"a;b;label\n1,5;2;x\n3;5;y\n",
    "csv/libsvm.txt": b"1 1:2 2:3\n-1 1:3\n",
    "csv/named.svm": b"a,b,label\n1,2,x\n3,5,y\n",
    "csv/blanks.csv": b"a b label\n1 2 x\n3 5 y\n",
    "csv/utf32.csv": "a,label\n1,x\n2,y\n".encode("utf-32"),
    "csv/minus_unicode.csv": table("\u22124,5,x".encode()),
    "csv/no_label_column.csv": b"a,b,kind\n1,2,x\n3,5,y\n",
    "csv/utf16.csv": "a,label\n1,x\n2,y\n".encode("utf-16"),
    "csv/one_class.csv": b"a,label\n1,x\n2,x\n",
    "csv/good_quotes.csv": b'a,label\n1,"say ""x"""\n-2,y\n',
    "csv/good_bom.csv": b"\xef\xbb\xbfa,label\n1,x\n-2,y\n",
    "idx/labels.idx1": idx(2, body=bytes([0, 1])),
    "idx/good.idx3": IMAGES,
    "idx/empty.idx3": b"",
    "idx/not_idx.idx3": b"GIF89a" + b"\x00" * 18,
    "idx/no_dimensions.idx3": b"\x00\x00\x08\x00",
    "idx/overflow.idx3": idx(2**32 - 1, 2**32 - 1, 2**32 - 1, 2**32 - 1, body=b"\x01"),
    "idx/cut_short.idx3": idx(60000, 28, 28, body=b"\x01" * 10),
    "idx/no_items.idx3": idx(0, 2, 2),
    "idx/byte_order.idx3": b"\x03\x08\x00\x00" + struct.pack("<III", 2, 2, 2) + bytes(8),
    "idx/cut_short.idx3.gz": PACKED[:-3],
    "npy/good.npy": npy(array(), SIX),
    "npy/labels.npy": npy(array("'<i8'", "(2,)"), struct.pack("<2q", 0, 1)),
    "npy/labels_not_text.npy": npy(array("'|S2'", "(2,)"), b"a\x00\xff\xfe"),
    "npy/labels_control.npy": npy(array("'|S2'", "(2,)"), b"a\nb\x00"),
    "npy/empty.npy": b"",
    "npy/version.npy": npy(array(), SIX, version=7),
    "npy/long_header.npy": npy(array(), SIX, version=2, length=2**32 - 16),
    "npy/code.npy": npy("__import__('os').system('false') or {}", SIX),
    "npy/huge_shape.npy": npy(array(shape="(65536, 65536)"), b""),
    "npy/negative_shape.npy": npy(array(shape="(-2, 3)"), SIX),
    "npy/structured.npy": npy(array("[('a', '<f8')]"), SIX),
    "npy/objects.npy": npy(array("'|O'"), SIX),
    "npy/trailing.npy": npy(array(), SIX + b"extra"),
    "libsvm/huge_values.txt": b"1 1:1e300 2:1\n-1 1:-1e300 2:1\n1 1:1e300 2:2\n-1 1:-1e300 2:3\n",
    "libsvm/kernel_odd_numbers.txt": b"1 0:1 1:2 2:1\n-1 0:3 1:1 2:2\n",
    "libsvm/kernel_negative.txt": b"1 0:1 1:2 2:1\n-1 0:2 1:1 2:-2\n",
    "npy/cut_short.npy": npy(array(), SIX[:-8]),
    "npy/no_descr.npy": npy("{'fortran_order': False, 'shape': (2, 3), }", SIX),
    "npy/no_rows.npy": npy(array(shape="(0, 3)"), b""),
    "npy/nan.npy": npy(array(), struct.pack("<6d", 1, 2, float("nan"), 4, 5, 6)),
    "model/good.model": MODEL,
    "model/only_w.model": b"w\n",
    "model/classes_negative.model": MODEL.replace(b"nr_class 2", b"nr_class -3"),
    "model/labels_first.model": MODEL.replace(b"nr_class 2\nlabel 1 -1\n", b"label 1 -1\nnr_class 2\n"),
    "model/few_weights.model": MODEL[:-2],
    "model/weight_nan.model": MODEL.replace(b"-0.25", b"nan"),
    "model/solver_unknown.model": MODEL.replace(b"L2R_LR", b"L9R_XX"),
    "model/label_missing.model": MODEL.replace(b"label 1 -1", b"label 1"),
    "model/long_key.model": b"s" * 5000 + b" 1\n" + MODEL,
    "model/key_twice.model": MODEL.replace(b"bias -1\n", b"nr_feature 3\nbias -1\n"),
    "model/empty.model": b"",
    "model/utf16.model": MODEL.decode().encode("utf-16"),
    "model/mark.model": b"\xef\xbb\xbf" + MODEL,
    "model/no_weights.model": MODEL[: MODEL.index(b"w\n")],
    "model/machine.model": MACHINE,
    "model/machine_type.model": MACHINE.replace(b"c_svc", b"epsilon_svr"),
    "model/machine_kernel.model": MACHINE.replace(b"rbf", b"wave"),
    "model/machine_rho_twice.model": MACHINE.replace(b"label", b"rho 0\nlabel"),
    "model/machine_rho_count.model": MACHINE.replace(b"rho 0.5", b"rho 0.5 1"),
    "model/machine_label_count.model": MACHINE.replace(b"label 1 -1", b"label 1"),
    "model/machine_label_twice.model": MACHINE.replace(b"label 1 -1", b"label 1 1"),
    "model/machine_sum.model": MACHINE.replace(b"nr_sv 1 1", b"nr_sv 1 2"),
    "model/machine_degree.model": MACHINE.replace(b"rbf", b"polynomial"),
    "model/cut_header.model": struct.pack("<Q", 400) + b'{"__metadata__":{',
    "certificate/rows.txt": b"-1 1:0 2:0\n+1 2:1\n+1 1:1\n-1 1:1 2:1\n",
    "certificate/cut_short.json": CERTIFICATE[:150],
    "certificate/after_the_end.json": CERTIFICATE + b"x",
    "certificate/zero_after_the_end.json": CERTIFICATE + b"\x00garbage",
    "certificate/list.json": b"[]",
    "certificate/rows_text.json": CERTIFICATE.replace(b'"rows":4', b'"rows":"4"'),
    "certificate/rows_out_of_range.json": CERTIFICATE.replace(b'"rows":4', b'"rows":1e999'),
    "certificate/row_beyond.json": CERTIFICATE.replace(b"3,4]", b"3,5]"),
    "certificate/weight_word.json": CERTIFICATE.replace(b'"1","1","1","1"', b'"1","1","one","1"'),
    "certificate/weight_over_zero.json": CERTIFICATE.replace(b'"1","1","1","1"', b'"1","1/0","1","1"'),
    "certificate/key_twice.json": CERTIFICATE.replace(b'"kernel"', b'"values":"doubles","kernel"'),
    "certificate/key_unknown.json": CERTIFICATE.replace(b'"kernel"', b'"kernels":3,"kernel"'),
    "certificate/key_missing.json": CERTIFICATE.replace(b'"fingerprint":"00",', b""),
    "certificate/nested.json": b'{"schema":' + b"[" * 40,
    "model/huge_header.model": struct.pack("<Q", 2**63) + b"{}",
}


def main() -> None:
    for name, content in FILES.items():
        path = HERE / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    print(len(FILES), "files")


if __name__ == "__main__":
    main()
