"""Files that are not what they seem: devices, pipes, holes, bombs, and outputs that are inputs."""
import fcntl
import gzip
import os
import pathlib
import struct
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))
from support import APART, PROGRAM, ROWS, ProgramTest, main  # noqa: E402

MEGABYTE = 1 << 20


class Outputs(ProgramTest):
    """Nothing that is read is written over."""

    def refuses(self, name, *args, **more):
        before = (self.folder / name).read_bytes()
        text = self.fails(2, *args, **more)
        self.assertIn("would replace a file that is read", text)
        self.assertEqual((self.folder / name).read_bytes(), before)

    def test_standard_input_is_a_file_too(self):
        for name in ("-", "/dev/stdin", "/proc/self/fd/0"):
            with open(self.folder / "rows.txt", "rb") as rows:
                result = subprocess.run([PROGRAM, "train", name, "-o", "rows.txt"], cwd=self.folder, stdin=rows, capture_output=True)
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertIn(b"would replace a file that is read", result.stderr)
        self.assertEqual((self.folder / "rows.txt").read_text(), ROWS)

    def test_every_verb_and_every_name_of_the_file(self):
        self.train()
        os.symlink("rows.txt", self.folder / "link")
        os.link(self.folder / "rows.txt", self.folder / "hard")
        for name in ("rows.txt", "./rows.txt", "link", "hard"):
            self.refuses("rows.txt", "train", "rows.txt", "-o", name)
            self.refuses("rows.txt", "train", "rows.txt", "--stream", "--algorithm", "perceptron", "-o", name)
            self.refuses("rows.txt", "convert", "rows.txt", "-o", name)
            self.refuses("rows.txt", "predict", "model", "rows.txt", "-o", name)
            self.refuses("rows.txt", "separable", "rows.txt", "-o", name)
            self.refuses("rows.txt", "trace", "rows.txt", "-o", name)
        self.refuses("model", "predict", "model", "rows.txt", "-o", "model")
        self.refuses("model", "export", "model", "-o", "model")

    def test_pairs_in_and_out(self):
        (self.folder / "images").write_bytes(struct.pack(">HBBII", 0, 8, 2, 6, 2) + bytes(range(12)))
        (self.folder / "labels").write_bytes(struct.pack(">HBBI", 0, 8, 1, 6) + bytes([0, 1] * 3))
        self.refuses("labels", "train", "images,labels", "-o", "labels")
        self.done("convert", "images,labels", "-o", "X.npy,y.npy")
        self.refuses("y.npy", "convert", "X.npy,y.npy", "-o", "Z.npy,y.npy")
        self.refuses("X.npy", "convert", "X.npy,y.npy", "-o", "X.npy,z.npy")

    def test_standard_output_is_a_file_too(self):
        self.train()
        for args in (("predict", "model", "rows.txt"), ("convert", "rows.txt", "-o", "-", "--to", "csv")):
            with open(self.folder / "rows.txt", "ab") as out:
                result = subprocess.run([PROGRAM, *args], cwd=self.folder, stdout=out, stderr=subprocess.PIPE)
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertEqual((self.folder / "rows.txt").read_text(), ROWS)

    def test_what_cannot_be_written_to(self):
        os.mkdir(self.folder / "folder")
        for name, word in (("folder", "Is a directory"), ("/dev/full", "No space left"), ("none/model", "No such file"),
                           ("rows.txt/model", "Not a directory")):
            self.assertIn(word, self.fails(5, "train", "apart.txt", "-o", name))
        self.assertEqual(os.listdir(self.folder / "folder"), [])
        if os.geteuid() != 0:  # root may write everywhere
            os.chmod(self.folder / "folder", 0o500)
            self.assertIn("Permission denied", self.fails(5, "train", "apart.txt", "-o", "folder/model"))

    def test_names_of_any_bytes(self):
        for name in ("a\nb.model", " ", "-x", "a'b\"c", "é", "n" * 255):
            self.done("train", "rows.txt", "-o", "./" + name, "--quiet")
            self.done("show", "./" + name)
        before = sorted(os.listdir(self.folder))
        self.done("train", "rows.txt", "-o", "./" + "n" * 255, "--quiet")
        self.assertEqual(sorted(os.listdir(self.folder)), before)

    def test_a_pipe_with_a_name(self):
        os.mkfifo(self.folder / "pipe")
        got = []
        reader = threading.Thread(target=lambda: got.append((self.folder / "pipe").read_bytes()))
        reader.start()
        self.done("train", "rows.txt", "-o", "pipe", "--quiet")
        reader.join()
        self.assertEqual(got[0], self.train())

    def test_a_link_to_nowhere_and_a_ring_of_links(self):
        os.symlink("made.model", self.folder / "link")
        self.done("train", "rows.txt", "-o", "link", "--quiet")
        self.assertTrue(os.path.islink(self.folder / "link"))
        self.done("show", "made.model")
        os.symlink("ring", self.folder / "ring")
        self.fails(5, "train", "rows.txt", "-o", "ring")


class Inputs(ProgramTest):
    def peak(self, code, *args, stdin=None):
        """Runs, checks the exit code; peak memory in bytes, beyond what a start of the program takes, and the error."""
        with open(self.folder / "said", "w+b") as said:
            program = subprocess.Popen(["prlimit", f"--core=0", PROGRAM, *args], cwd=self.folder, stdin=stdin or subprocess.DEVNULL,
                                       stdout=subprocess.DEVNULL, stderr=said)
            _, status, usage = os.wait4(program.pid, 0)
            program.returncode = os.waitstatus_to_exitcode(status)
            said.seek(0)
            text = said.read().decode("utf-8", "replace")
        self.assertEqual(program.returncode, code, text)
        return usage.ru_maxrss * 1024, text

    def refuses_cheaply(self, *args, most=300 * MEGABYTE, **more):
        memory, text = self.peak(3, *args, **more)
        self.assertLess(memory, most, (args, text))
        self.assertEqual(text.count("\n"), 1, text)
        return text

    def test_devices_without_an_end(self):
        for name in ("/dev/zero", "/dev/urandom"):
            self.refuses_cheaply("train", name, "-o", "m")
            self.refuses_cheaply("train", name, "--format", "csv", "-o", "m")
            self.refuses_cheaply("train", name, "--stream", "--algorithm", "perceptron", "-o", "m")
            self.refuses_cheaply("show", name)
            self.refuses_cheaply("predict", name, "rows.txt")
            self.refuses_cheaply("verify", name, "rows.txt")
            self.refuses_cheaply("doctor", name)

    def test_a_zero_byte_ends_the_reading_of_a_line(self):
        self.assertIn("/dev/zero:1:1: error: byte 0x00", self.refuses_cheaply("train", "/dev/zero", "-o", "m", most=200 * MEGABYTE))

    def test_files_with_holes(self):
        self.train()
        heads = {"nothing": b"", "rows": ROWS.encode(), "model": (self.folder / "model").read_bytes(),
                 "liblinear": b"solver_type L2R_LR\nnr_class 2\nlabel 1 -1\nnr_feature 2\nbias -1\nw\n1 \n2 \n", "json": b'{"schema":'}
        for name, head in heads.items():
            with open(self.folder / name, "wb") as out:
                out.write(head)
                out.truncate(10 << 30)
            self.refuses_cheaply("train", name, "-o", "m")
            self.refuses_cheaply("show", name)
            self.refuses_cheaply("verify", name, "rows.txt")
            with open(self.folder / name, "rb") as stdin:
                self.refuses_cheaply("train", "-", "-o", "m", stdin=stdin)

    def test_files_that_say_they_are_empty(self):
        self.assertIn("/proc/self/status:1:1: error: 'Name:", self.fails(3, "train", "/proc/self/status", "-o", "m"))
        self.assertIn("no examples", self.fails(3, "train", "/dev/null", "-o", "m"))

    def bomb(self, name, content, members, head=b""):
        """A gzip file of many members, each of which is 16 MiB of `content`."""
        member = gzip.compress(content * (16 * MEGABYTE // len(content)), 6)
        (self.folder / name).write_bytes((gzip.compress(head) if head else b"") + member * members)

    def test_bombs(self):
        self.train()
        model = (self.folder / "model").read_bytes()
        for content in (b"\0", b"a", b"1", b" ", b'"', b","):
            self.bomb("bomb.gz", content, 64)
            for args in (("train", "bomb.gz", "-o", "m"), ("train", "bomb.gz", "--format", "csv", "-o", "m"), ("show", "bomb.gz"),
                         ("verify", "bomb.gz", "rows.txt"), ("train", "bomb.gz", "--format", "hsd", "-o", "m")):
                self.refuses_cheaply(*args)
        for head in (model, b'{"schema":"halfspace.separation/1","rows":[', b"solver_type L2R_LR\nnr_class 2\nlabel 1 -1\n"):
            for content in (b"\0", b"1 ", b" "):
                self.bomb("bomb.gz", content, 64, head)
                self.refuses_cheaply("show", "bomb.gz")
                self.refuses_cheaply("verify", "bomb.gz", "rows.txt")
        self.done("convert", "rows.txt", "-o", "rows.hsd")
        self.bomb("bomb.hsd.gz", b"\0", 64, (self.folder / "rows.hsd").read_bytes())
        self.refuses_cheaply("train", "bomb.hsd.gz", "-o", "m")

    def test_empty_lines_take_no_memory(self):
        self.bomb("lines.gz", b"\n", 32, b"+1 1:1\n-1 1:-1\n")
        memory, _ = self.peak(0, "train", "lines.gz", "-o", "m")
        self.assertLess(memory, 300 * MEGABYTE)

    def test_streams_inside_streams(self):
        (self.folder / "twice.gz").write_bytes(gzip.compress(gzip.compress(ROWS.encode())))
        self.fails(3, "train", "twice.gz", "-o", "m")
        (self.folder / "more.gz").write_bytes(gzip.compress(ROWS.encode()) + b"more")
        self.fails(3, "train", "more.gz", "-o", "m")
        (self.folder / "members.gz").write_bytes(gzip.compress(ROWS[:100].encode()) + gzip.compress(ROWS[100:].encode()))
        self.assertEqual(self.train("members.gz", "a"), self.train("rows.txt", "b"))

    def test_standard_input_that_does_not_wait(self):
        expected = self.train("apart.txt", "expected")
        out, into = os.pipe()
        fcntl.fcntl(out, fcntl.F_SETFL, fcntl.fcntl(out, fcntl.F_GETFL) | os.O_NONBLOCK)
        program = subprocess.Popen([PROGRAM, "train", "-", "-o", "m", "--quiet"], cwd=self.folder, stdin=out,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        os.close(out)
        for line in APART.splitlines(keepends=True):
            os.write(into, line.encode())
            time.sleep(0.02)
        os.close(into)
        said = program.communicate(timeout=60)[1]
        self.assertEqual(program.returncode, 0, said)
        self.assertEqual((self.folder / "m").read_bytes(), expected)

    def test_standard_input_that_is_closed(self):
        result = subprocess.run(["sh", "-c", f'"$0" train - -o m <&-', PROGRAM], cwd=self.folder, capture_output=True, timeout=60)
        self.assertIn(result.returncode, (3, 5))
        self.assertFalse((self.folder / "m").exists())

    def test_limits_on_features_are_the_same_everywhere(self):
        most = 1 << 27
        (self.folder / "wide.svm").write_text(f"+1 {most}:1\n-1 1:1\n")
        self.done("convert", "wide.svm", "-o", "wide.hsd")
        self.assertEqual(self.json("show", "wide.hsd")["features"], most)
        (self.folder / "wider.svm").write_text(f"+1 {most + 1}:1\n-1 1:1\n")
        self.assertIn(f"at most {most} features", self.fails(3, "convert", "wider.svm", "-o", "x.hsd"))
        hsd = bytearray((self.folder / "wide.hsd").read_bytes())
        hsd[48:56] = struct.pack("<Q", most + 1)
        (self.folder / "wider.hsd").write_bytes(hsd)
        self.assertIn(f"at most {most} features", self.fails(3, "train", "wider.hsd", "-o", "m"))
        self.fails(2, "generate", "gaussians", "--features", str(most + 1), "-o", "x.svm")


if __name__ == "__main__":
    main()
