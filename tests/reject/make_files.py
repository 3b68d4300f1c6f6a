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

# ---------------------------------------------------------------------------------------------------------------------
# Faults whose place is what matters: where would a person point?

PAGE = b"<!DOCTYPE html>\n<html><head><title>404, not found</title></head>\n<body>label, a, b</body></html>\n"
RECORDS = b'[{"a": 1, "label": "x"}, {"a": 2, "label": "y"}]\n'
THREE = b"solver_type MCSVM_CS\nnr_class 3\nlabel 1 2 3\nnr_feature 2\nbias 1\nw\n1 2 3 \n4 5 6 \n7 8 9 \n"
PLANE = struct.pack("<3d", 0.5, -0.25, 2)


def replaced(text: bytes, old: bytes, new: bytes) -> bytes:
    """Exactly one place of the text, changed."""
    assert text.count(old) == 1, (text, old)
    return text.replace(old, new)


def model(old: str = "", new: str = "", text: bytes = MODEL) -> bytes:
    return replaced(text, old.encode(), new.encode())


def machine(old: str, new: str) -> bytes:
    return model(old, new, MACHINE)


def packed(content: bytes) -> bytes:
    """A gzip stream of stored blocks: the same bytes with every version of the library."""
    tail = struct.pack("<II", zlib.crc32(content), len(content))
    return b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff" + zlib.compress(content, 0)[2:-4] + tail


def certificate(old: str, new: str) -> bytes:
    return replaced(CERTIFICATE, old.encode(), new.encode())


FILES |= {
    "libsvm/wide_little.txt": "+1 1:1\n-1 1:2\n".encode("utf-16-le"),
    "libsvm/wide_big.txt": "+1 1:1\n-1 1:2\n".encode("utf-16-be"),
    "libsvm/wide_comment.txt": "# Größe\n+1 1:1\n-1 1:2\n".encode("utf-16-le"),
    "libsvm/wide_other_script.txt": "# 数据\n+1 1:1\n-1 1:2\n+1 1:3\n".encode("utf-16-be")[4:],
    "libsvm/wide_four_little.txt": "+1 1:1\n-1 1:2\n".encode("utf-32-le"),
    "libsvm/page.txt": PAGE,
    "libsvm/page_lower.txt": b"\n  <html>\n<body>1 1:2</body>\n",
    "libsvm/xml.txt": b"<?xml version=\"1.0\"?>\n<rows/>\n",
    "libsvm/records.txt": RECORDS,
    "libsvm/portable.txt": b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj\n",
    "libsvm/archive.txt": b"PK\x03\x04\x14\x00\x00\x00\x08\x00" + bytes(20),
    "libsvm/parquet.txt": b"PAR1\x15\x04\x15\x10" + bytes(16) + b"PAR1",
    "libsvm/pickle.txt": b"\x80\x04\x95\x10\x00\x00\x00\x00\x00\x00\x00]\x94.",
    "libsvm/picture.txt": b"\x89PNG\r\n\x1a\n" + bytes(16),
    "libsvm/pointer.txt": b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n",
    "libsvm/packed_twice.txt": b"\x28\xb5\x2f\xfd" + bytes(3),
    "libsvm/lz4.txt": b"\x04\x22\x4d\x18" + bytes(12),
    "libsvm/label_pair.txt": rows(b"1:1 2:3"),
    "libsvm/label_empty_first.txt": rows(b":1 2:3"),
    "libsvm/label_word.txt": rows(b"yes 1:2"),
    "libsvm/label_two.txt": rows(b"1,3 1:2"),
    "libsvm/label_alone_word.txt": rows(b"  ham 1:2"),
    "libsvm/index_plus.txt": rows(b"1 2:3 +1:2"),
    "libsvm/index_word.txt": rows(b"1 1:1 abc:2"),
    "libsvm/index_hexadecimal.txt": rows(b"1 1:1 0x2:2"),
    "libsvm/index_exponent.txt": rows(b"1 1:1 1e3:2"),
    "libsvm/index_over.txt": rows(b"1 1:1 134217729:2"),
    "libsvm/index_second_descends.txt": rows(b"1 1:1 7:1 100:1 9:5 200:1"),
    "libsvm/index_twice_late.txt": rows(b"1 1:1 7:1 100:1 100:5"),
    "libsvm/index_blank_before_colon.txt": rows(b"1 1:1 2 :5"),
    "libsvm/value_units.txt": rows(b"1 1:1 2:15kg"),
    "libsvm/value_fortran.txt": rows(b"1 1:1 2:1.5D+03"),
    "libsvm/value_thousands.txt": rows(b"1 1:1 2:1,000.5"),
    "libsvm/value_apostrophe.txt": rows(b"1 1:1 2:1'000"),
    "libsvm/value_two_points.txt": rows(b"1 1:1 2:1.2.3"),
    "libsvm/value_two_colons.txt": rows(b"1 1:1 2:3:4"),
    "libsvm/value_half_exponent.txt": rows(b"1 1:1 2:3e"),
    "libsvm/value_two_signs.txt": rows(b"1 1:1 2:--3"),
    "libsvm/value_quoted.txt": rows(b'1 1:1 2:"3"'),
    "libsvm/value_last_line_nan.txt": b"+1 1:1\n-1 1:2\n1 1:nan",
    "libsvm/value_cr_inside.txt": rows(b"1 1:1 \r2:3"),
    "libsvm/nul_at_the_end.txt": b"+1 1:1\n-1 1:2\n" + bytes(5),
    "libsvm/bell_in_comment.txt": rows(b"1 1:2 #\x07"),
    "libsvm/commas.txt": rows(b"1 1:2, 2:3"),
    "libsvm/cut_last_value.txt": b"+1 1:1\n-1 1:2 2:",
    "libsvm/cut_last_index.txt": b"+1 1:1\n-1 1:2 2",
    "libsvm/long_token.txt": rows(b"1 1:1 " + b"z" * 5000),
    "csv/long_row_start.csv": table(b"4,5,x,9,10,11"),
    "csv/long_row_blank.csv": table(b"4, 5, x, 9"),
    "csv/long_row_quoted.csv": table(b'4,"5,6",x,"9"'),
    "csv/long_row_empty.csv": table(b"4,5,x,"),
    "csv/long_row_number.csv": table(b"4,5000,6,x"),
    "csv/long_row_first.csv": b"a,b,label\n1,2,3,x\n3,5,4,y\n",
    "csv/decimal_commas.csv": b"a,label\n1,5,x\n2,5,y\n",
    "csv/short_row_one.csv": table(b"4"),
    "csv/wide_little.csv": "a,label\n1,x\n2,y\n".encode("utf-16-le"),
    "csv/wide_big.csv": "a,label\n1,x\n2,y\n".encode("utf-16-be"),
    "csv/wide_accents.csv": "größe,label\n1,ä\n2,ö\n".encode("utf-16-le"),
    "csv/wide_other_script.csv": "年,label\n1,男\n2,女\n".encode("utf-16-le"),
    "csv/page.csv": PAGE,
    "csv/page_commas.csv": b"<html>,label\n1,x\n2,y\n",
    "csv/records.csv": RECORDS,
    "csv/records_lines.csv": b'{"a": 1, "label": "x"}\n{"a": 2, "label": "y"}\n',
    "csv/workbook.csv": b"PK\x03\x04\x14\x00\x06\x00\x08\x00" + bytes(20),
    "csv/old_workbook.csv": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(24),
    "csv/parquet.csv": b"PAR1\x15\x04\x15\x10" + bytes(16) + b"PAR1",
    "csv/quote_closed_later.csv": table(b'4,"5,x\n6,7,"y"'),
    "csv/quote_swallows_a_row.csv": table(b'4,"5,x\n6,7",y,z\n8,9,x'),
    "csv/quote_swallows_cells.csv": table(b'4,"5,x\n6,7",y,z,1\n8,9,x'),
    "csv/quote_text_after.csv": table(b'4,"5"6,x'),
    "csv/quote_inside.csv": table(b'4,55555"6,x'),
    "csv/quote_at_the_end.csv": table(b'4,55555",x'),
    "csv/quote_first_line.csv": b'a,"b,label\n1,2,x\n3,5,y\n',
    "csv/quote_never_closed_far.csv": table(b'4,5,"x') + b"3,5,y\n" * 40,
    "csv/header_twice.csv": b"a,b,a,label\n1,2,3,x\n3,5,4,y\n",
    "csv/header_twice_quoted.csv": b'a,"b",c, "b",label\n1,2,3,4,x\n3,5,4,4,y\n',
    "csv/header_not_text.csv": b"a,b\xff,label\n1,2,x\n3,5,y\n",
    "csv/label_missing.csv": table(b"4,5,"),
    "csv/label_missing_word.csv": table(b"4,5,NA"),
    "csv/cell_missing.csv": table(b"4,,x"),
    "csv/cell_missing_last.csv": b"label,a,b\nx,1,2\ny,3,5\nx,4,\n",
    "csv/hexadecimal.csv": table(b"4,0x1F,x"),
    "csv/fortran.csv": table(b"4,1.5D+03,x"),
    "csv/units.csv": table(b"4,15 kg,x"),
    "csv/percent.csv": table(b"4,15%,x"),
    "csv/currency.csv": table(b"4,$15,x"),
    "csv/decimal_comma_quoted.csv": table(b'4,"1,5",x'),
    "csv/decimal_comma_semicolons.csv": b"a;b;label\n1;2;x\n3;5;y\n4,5;5;x\n",
    "csv/apostrophe.csv": table(b"4,1'000,x"),
    "csv/lines_cr.csv": b"a,b,label\r1,2,x\r3,5,y\r",
    "csv/nul.csv": table(b"4,5\x00,x"),
    "csv/nul_in_quotes.csv": table(b'4,"5\x00",x'),
    "csv/commas.tsv": b"a,b,label\n1,2,x\n3,5,y\n",
    "csv/tab_row.csv": table(b"4\t5\tx"),
    "csv/not_text.csv": table(b"4,5,x\xff"),
    "csv/cut_last_row.csv": b"a,b,label\n1,2,x\n3,5,y\n4,5",
    "csv/total_row.csv": b"a,b,label\n1,2,x\n3,5,y\n\ntotal: 2 rows\n",
    "csv/weight_negative.csv": b"a,w,label\n1,1,x\n3,1,y\n4,-2,x\n",
    "csv/weight_word.csv": b"a,w,label\n1,1,x\n3,1,y\n4,two,x\n",
    "csv/good_quote_in_text.csv": b'size,label\n5" pipe,x\n6" pipe,y\n',
    "csv/good_brackets.csv": b"[0],label\n1,x\n2,y\n",
    "idx/short_magic.idx3": b"\x00\x00\x08",
    "idx/type.idx3": idx(2, 2, 2, body=bytes(8), kind=7),
    "idx/many_dimensions.idx3": b"\x00\x00\x08\xff" + bytes(20),
    "idx/sizes_missing.idx3": b"\x00\x00\x08\x03" + struct.pack(">I", 2) + b"\x00\x00",
    "idx/no_width.idx3": idx(2, 2, 0),
    "idx/no_height.idx3": idx(2, 0, 2),
    "idx/trailing.idx3": IMAGES + b"extra",
    "idx/packed_trailing.idx3.gz": packed(IMAGES + b"extra"),
    "idx/packed_short.idx3.gz": packed(IMAGES[:-2]),
    "libsvm/packed_value.txt.gz": packed(rows(b"1 1:1 2:x")),
    "libsvm/packed_wide.txt.gz": packed("+1 1:1\n-1 1:2\n".encode("utf-16-le")),
    "csv/packed_long_row.csv.gz": packed(table(b"4,5,x,9")),
    "model/packed_bias.model.gz": packed(model("bias -1", "bias nan")),
    "idx/features.idx3": idx(1, 2**16, 2**16, body=b"\x01"),
    "idx/nan.idx2": idx(2, 2, body=struct.pack(">4f", 1, 2, float("nan"), 4), kind=0x0D),
    "idx/page.idx3": PAGE,
    "idx/packed.idx3": b"PK\x03\x04" + bytes(20),
    "idx/three.idx1": idx(3, body=bytes([0, 1, 1])),
    "idx/one_short.idx1": idx(2, body=bytes([0])),
    "idx/real.idx1": idx(2, body=struct.pack(">2f", 0, 1), kind=0x0D),
    "npy/magic.npy": b"\x93NUMPX\x01\x00" + npy(array(), SIX)[8:],
    "npy/short_magic.npy": b"\x93NUMPY\x01",
    "npy/minor_version.npy": b"\x93NUMPY\x01\x05" + npy(array(), SIX)[8:],
    "npy/header_beyond.npy": npy(array(), SIX, length=60000),
    "npy/header_cut.npy": npy(array(), SIX)[:60],
    "npy/header_short.npy": npy(array(), SIX, length=20),
    "npy/page.npy": PAGE,
    "npy/archive.npy": b"PK\x03\x04\x14\x00\x00\x00\x08\x00" + bytes(20),
    "npy/key_unknown.npy": npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), 'order': 'C', }", SIX),
    "npy/key_twice.npy": npy("{'descr': '<f8', 'shape': (2, 3), 'descr': '<f4', 'fortran_order': False, }", SIX),
    "npy/no_shape.npy": npy("{'descr': '<f8', 'fortran_order': False, }", SIX),
    "npy/no_order.npy": npy("{'descr': '<f8', 'shape': (2, 3), }", SIX),
    "npy/type_complex.npy": npy(array("'<c16'", "(1, 3)"), SIX),
    "npy/type_half.npy": npy(array("'<f2'"), SIX[:12]),
    "npy/type_date.npy": npy(array("'<M8[ns]'"), SIX),
    "npy/type_text.npy": npy(array("'<U2'"), SIX),
    "npy/type_number.npy": npy(array("8"), SIX),
    "npy/order_word.npy": npy(array(order="'C'"), SIX),
    "npy/shape_list.npy": npy(array(shape="[2, 3]"), SIX),
    "npy/shape_word.npy": npy(array(shape="(2, x)"), SIX),
    "npy/shape_fraction.npy": npy(array(shape="(2, 3.0)"), SIX),
    "npy/shape_overflow.npy": npy(array(shape="(2, 18446744073709551616)"), SIX),
    "npy/shape_product.npy": npy(array(shape="(4294967296, 4294967296)"), SIX),
    "npy/shape_three.npy": npy(array(shape="(1, 2, 3)"), SIX),
    "npy/shape_none.npy": npy(array(shape="()"), SIX[:8]),
    "npy/no_columns.npy": npy(array(shape="(2, 0)"), b""),
    "npy/comma_missing.npy": npy("{'descr': '<f8' 'fortran_order': False, 'shape': (2, 3), }", SIX),
    "npy/after_the_header.npy": npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), } # x", SIX),
    "npy/three_labels.npy": npy(array("'<i8'", "(3,)"), struct.pack("<3q", 0, 1, 1)),
    "npy/square_labels.npy": npy(array("'<i8'", "(2, 1)"), struct.pack("<2q", 0, 1)),
    "npy/nan_columns.npy": npy(array(order="True"), struct.pack("<6d", 1, 2, 3, 4, float("inf"), 6)),
    "npy/nan_labels.npy": npy(array("'<f8'", "(2,)"), struct.pack("<2d", 0, float("nan"))),
    "model/page.model": PAGE,
    "model/records.model": RECORDS,
    "model/archive.model": b"PK\x03\x04\x14\x00\x00\x00\x08\x00" + bytes(20),
    "model/pickle.model": b"\x80\x04\x95\x10\x00\x00\x00\x00\x00\x00\x00]\x94.",
    "model/wide_little.model": MODEL.decode().encode("utf-16-le"),
    "model/rows.model": rows(b"1 1:2"),
    "model/solver_missing.model": model("solver_type L2R_LR", "solver_type"),
    "model/solver_regression.model": model("L2R_LR", "L2R_L2LOSS_SVR"),
    "model/classes_one.model": model("nr_class 2", "nr_class 1"),
    "model/classes_huge.model": model("nr_class 2", "nr_class 2147483647"),
    "model/classes_overflow.model": model("nr_class 2", "nr_class 4294967298"),
    "model/classes_word.model": model("nr_class 2", "nr_class two"),
    "model/classes_more.model": model("nr_class 2", "nr_class 2 3"),
    "model/features_negative.model": model("nr_feature 3", "nr_feature -3"),
    "model/features_overflow.model": model("nr_feature 3", "nr_feature 4294967299"),
    "model/features_huge.model": model("nr_feature 3", "nr_feature 2147483647"),
    "model/features_fraction.model": model("nr_feature 3", "nr_feature 3.5"),
    "model/bias_nan.model": model("bias -1", "bias nan"),
    "model/bias_word.model": model("bias -1", "bias none"),
    "model/labels_twice.model": model("label 1 -1", "label 1 1"),
    "model/labels_many.model": model("label 1 -1", "label 1 -1 2"),
    "model/labels_fraction.model": model("label 1 -1", "label 1 -1.5"),
    "model/weight_infinite.model": model("-0.25", "inf"),
    "model/weight_word.model": model("-0.25", "x"),
    "model/weight_overflow.model": model("-0.25", "1e999"),
    "model/weight_second.model": model("-0.25", "-0.25 7"),
    "model/weights_many.model": MODEL + b"7\n",
    "model/weights_in_row.model": model("4 5 6 ", "4 5 ", THREE),
    "model/weights_row_long.model": model("4 5 6 ", "4 5 6 7 ", THREE),
    "model/weights_row_nan.model": model("4 5 6 ", "4 5 nan ", THREE),
    "model/key_unknown.model": model("bias -1", "regbias 1\nbias -1"),
    "model/key_missing.model": model("nr_feature 3\n", ""),
    "model/nul.model": model("-0.25", "-0\x00.25"),
    "model/machine_gamma.model": machine("gamma 0.5", "gamma x"),
    "model/machine_gamma_zero.model": machine("gamma 0.5", "gamma 0"),
    "model/machine_classes.model": machine("nr_class 2", "nr_class 1"),
    "model/machine_classes_huge.model": machine("nr_class 2", "nr_class 4294967295"),
    "model/machine_total.model": machine("total_sv 2", "total_sv -2"),
    "model/machine_total_huge.model": machine("total_sv 2\nrho 0.5\nlabel 1 -1\nnr_sv 1 1",
                                              "total_sv 4000000000\nrho 0.5\nlabel 1 -1\nnr_sv 2000000000 2000000000"),
    "model/machine_key.model": machine("gamma 0.5", "gama 0.5"),
    "model/machine_rho_word.model": machine("rho 0.5", "rho x"),
    "model/machine_label_word.model": machine("label 1 -1", "label 1 no"),
    "model/machine_label_second.model": machine("label 1 -1", "label -1 -1"),
    "model/machine_label_many.model": machine("label 1 -1", "label 1 -1 3"),
    "model/machine_counts.model": machine("nr_sv 1 1", "nr_sv 1"),
    "model/machine_counts_many.model": machine("nr_sv 1 1", "nr_sv 1 1 1"),
    "model/machine_count_above.model": machine("nr_sv 1 1", "nr_sv 1 9"),
    "model/machine_index.model": machine("1 1:1 2:2", "1 2:1 1:2"),
    "model/machine_index_zero.model": machine("1 1:1 2:2", "1 0:1 2:2"),
    "model/machine_index_huge.model": machine("1 1:1 2:2", "1 1:1 4294967295:2"),
    "model/machine_value.model": machine("1 1:1 2:2", "1 1:1 2:x"),
    "model/machine_value_nan.model": machine("1 1:1 2:2", "1 1:1 22:nan"),
    "model/machine_colon.model": machine("1 1:1 2:2", "1 1:1 2"),
    "model/machine_coefficient.model": machine("-1 1:-1", "nan 1:-1"),
    "model/machine_few.model": MACHINE[: MACHINE.index(b"-1 1:-1")],
    "model/machine_many.model": MACHINE + b"1 1:3\n",
    "model/machine_no_rho.model": machine("rho 0.5\n", ""),
    "model/machine_no_end.model": MACHINE[: MACHINE.index(b"SV\n")],
    "certificate/schema.json": certificate("certificate/1", "certificate/9"),
    "certificate/fingerprint_number.json": certificate('"fingerprint":"00"', '"fingerprint":0'),
    "certificate/features_fraction.json": certificate('"features":2', '"features":2.5'),
    "certificate/rows_negative.json": certificate('"rows":4', '"rows":-4'),
    "certificate/values_word.json": certificate('"values":"decimals"', '"values":"integers"'),
    "certificate/offset_word.json": certificate('"offset":"free"', '"offset":"loose"'),
    "certificate/verdict_word.json": certificate('"verdict":"overlapping"', '"verdict":"perhaps"'),
    "certificate/class_number.json": certificate('"positive":["1"]', '"positive":[1]'),
    "certificate/row_zero.json": certificate("[1,2,3,4]", "[0,2,3,4]"),
    "certificate/row_text.json": certificate("[1,2,3,4]", '[1,"2",3,4]'),
    "certificate/weights_few.json": certificate('"1","1","1","1"', '"1","1","1"'),
    "certificate/weight_number.json": certificate('"1","1","1","1"', '"1","1",1,"1"'),
    "certificate/comma.json": certificate('"rows":4,', '"rows":4'),
    "certificate/comma_last.json": certificate("3,4]", "3,4,]"),
    "certificate/word.json": certificate('"rows":4', '"rows":four'),
    "certificate/line_in_text.json": certificate('"free"', '"fr\nee"'),
    "certificate/page.json": PAGE,
    "certificate/empty.json": b"",
}


def main() -> None:
    for name, content in FILES.items():
        path = HERE / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    print(len(FILES), "files")


if __name__ == "__main__":
    main()
