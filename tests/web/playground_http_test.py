#!/usr/bin/env python3
"""playground_http_test.py PROGRAM: requests that are wrong, slow or meant for somebody else do not disturb the playground, and what
it answers is what the program says. No browser, no network but 127.0.0.1."""
import json
import pathlib
import resource
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time

from playground_server import Playground

PROGRAM = sys.argv[1]
failures = 0
SECRET = 48  # no answer to a stranger is longer than a constant text


def check(holds, what):
    global failures
    if not holds:
        failures += 1
        print(f"FAILED: {what}")


def connect(server):
    connection = socket.create_connection(("127.0.0.1", server.port), timeout=30)
    return connection


def exchange(server, request):
    """Status and body of the first answer; 0 when the connection ends without one."""
    with connect(server) as connection:
        try:
            connection.sendall(request)
        except (BrokenPipeError, ConnectionResetError):
            pass
        data = b""
        try:
            while True:
                piece = connection.recv(65536)
                if not piece:
                    break
                data += piece
        except (ConnectionResetError, TimeoutError):
            pass
    if not data.startswith(b"HTTP/1."):
        return 0, data
    head, _, body = data.partition(b"\r\n\r\n")
    return int(head.split()[1]), body


def bad_requests(server):
    """Name, bytes, the statuses that are right; 0: no answer at all."""
    t, port = server.token, server.port
    host = f"Host: 127.0.0.1:{port}\r\n"
    end = "Connection: close\r\n\r\n"

    def get(target, headers=host, version="HTTP/1.1", method="GET"):
        return f"{method} {target} {version}\r\n{headers}{end}".encode("latin-1")

    def post(headers, body=b"{}", kind="Content-Type: application/json\r\n", name=host):
        return f"POST /{t}/ask HTTP/1.1\r\n{name}{kind}{headers}{end}".encode("latin-1") + body

    other = ("0" if t[-1] != "0" else "1")
    yield "no token", get("/"), {404}
    yield "another token", get("/" + t[:-1] + other + "/"), {404}
    yield "half a token", get("/" + t[:16] + "/"), {404}
    yield "a longer token", get("/" + t + "0/"), {404}
    yield "no slash at the end", get("/" + t), {404}
    yield "two slashes", get("//" + t + "/"), {404}
    yield "a way up", get("/x/../" + t + "/"), {404}
    yield "a file", get("/" + t + "/../../../etc/passwd"), {404}
    yield "an escaped way up", get("/" + t + "/..%2f..%2fetc/passwd"), {404}
    yield "a query", get("/" + t + "/?file=/etc/passwd"), {404}
    yield "an absolute address", get(f"http://127.0.0.1:{port}/{t}/"), {404}
    yield "the page by POST", get("/" + t + "/", method="POST"), {405, 411}
    yield "the engine by GET", get("/" + t + "/ask"), {405}
    yield "another host", get("/" + t + "/", "Host: evil.example\r\n"), {421}
    yield "another host with our port", get("/" + t + "/", f"Host: evil.example:{port}\r\n"), {421}
    yield "our host without a port", get("/" + t + "/", "Host: 127.0.0.1\r\n"), {421}
    yield "no host", get("/" + t + "/", ""), {421}
    yield "two hosts", get("/" + t + "/", host + "Host: evil.example\r\n"), {421, 400}
    yield "another origin", get("/" + t + "/", host + "Origin: http://evil.example\r\n"), {421}
    yield "origin null", get("/" + t + "/", host + "Origin: null\r\n"), {421}
    yield "PUT", get("/" + t + "/", method="PUT"), {405}
    yield "DELETE", get("/" + t + "/", method="DELETE"), {405}
    yield "OPTIONS", get("/" + t + "/", method="OPTIONS"), {405}
    yield "TRACE", get("/" + t + "/", method="TRACE"), {405}
    yield "CONNECT", get("127.0.0.1:80", method="CONNECT"), {404, 405}
    yield "an unknown method", get("/" + t + "/", method="BREW"), {400, 405}
    yield "HTTP/0.9", f"GET /{t}/\r\n\r\n".encode(), {400, 0}
    yield "HTTP/2", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", {400, 505}
    yield "HTTP/1.9", get("/" + t + "/", version="HTTP/1.9"), {400, 505}
    yield "no length", post(""), {411}
    yield "two lengths", post("Content-Length: 2\r\nContent-Length: 3\r\n"), {400}
    yield "one length twice", post("Content-Length: 2\r\nContent-Length: 2\r\n"), {400}
    yield "a length below zero", post("Content-Length: -1\r\n"), {400}
    yield "a length that is a list", post("Content-Length: 2, 2\r\n"), {400}
    yield "a length in hexadecimal", post("Content-Length: 0x2\r\n"), {400}
    yield "a length with a sign", post("Content-Length: +2\r\n"), {400}
    yield "a length beyond 64 bits", post("Content-Length: 18446744073709551618\r\n"), {400}
    yield "a length of exabytes", post("Content-Length: 9223372036854775807\r\n"), {413}
    yield "a body of one byte too many", post("Content-Length: 1048577\r\n", b" " * 1048577), {413}
    yield "chunks", post("Transfer-Encoding: chunked\r\n", b"2\r\n{}\r\n0\r\n\r\n"), {501}
    yield "chunks and a length", post("Transfer-Encoding: chunked\r\nContent-Length: 4\r\n", b"0\r\n\r\n"), {400, 501}
    yield "an unknown coding", post("Transfer-Encoding: gzip, chunked\r\n", b"0\r\n\r\n"), {501}
    yield "a coding spelt oddly", post("Transfer-Encoding: xchunked\r\nContent-Length: 2\r\n"), {400, 501}
    yield "a head of nine kilobytes", get("/" + t + "/", host + "X: " + "a" * 9000 + "\r\n"), {431}
    yield "a hundred and one lines of head", get("/" + t + "/", host + "".join(f"X{i}: 1\r\n" for i in range(100))), {431}
    yield "an address of three kilobytes", get("/" + "a" * 3000), {414}
    yield "a line without a colon", get("/" + t + "/", host + "nothing\r\n"), {400}
    yield "a blank before the colon", get("/" + t + "/", host + "X : 1\r\n"), {400}
    yield "a zero in a header", get("/" + t + "/", host + "X: a\0b\r\n"), {400}
    yield "a zero in the address", get("/" + t + "\0/"), {400}
    yield "a blank in the address", get("/" + t + "/ x"), {400}
    yield "a line that goes on", get("/" + t + "/", host + "X: a\r\n b\r\n"), {200, 400}  # RFC 9112, 5.2 allows both
    yield "ends of lines without CR", f"GET /{t}/ HTTP/1.1\nHost: 127.0.0.1:{port}\n\n".encode(), {400, 0}
    yield "100-continue", post("Content-Length: 2\r\nExpect: 100-continue\r\n", b""), {417}
    yield "a web socket", get("/" + t + "/", host + "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n"), {400}
    yield "a form", post("Content-Length: 2\r\n", kind="Content-Type: text/plain\r\n"), {415}
    yield "no type", post("Content-Length: 2\r\n", kind=""), {415}
    yield "a stranger's question", post("Content-Length: 2\r\n", name="Host: evil.example\r\n"), {421}
    yield "TLS", bytes.fromhex("16030100c8010000c40303") + b"\x5a" * 100, {400, 0}
    yield "noise", bytes(range(256)) * 8, {400, 0}
    yield "empty lines", b"\r\n" * 200, {400, 0}


def memory(server):
    for line in pathlib.Path(f"/proc/{server.process.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1])


def descriptors(server):
    return len(list(pathlib.Path(f"/proc/{server.process.pid}/fd").iterdir()))


def good(server):
    status, answer = server.ask({"ask": "start"})
    return status == 200 and "perceptron" in [a["name"] for a in answer["algorithms"]]


def wrong_requests_get_constant_texts(server):
    check(good(server), "a good request at first")
    exchange(server, f"GET /{server.token}/ HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nConnection: close\r\n\r\n".encode())
    before, count = memory(server), 0
    for name, request, right in bad_requests(server):
        status, body = exchange(server, request)
        count += 1
        check(status in right, f"{name}: status {status}, expected {sorted(right)}")
        if status != 200:
            check(len(body) <= SECRET and server.token.encode() not in body, f"{name}: the answer says too much: {body[:80]}")
        check(good(server), f"{name}: the next good request got no answer")
    grown = memory(server) - before
    check(grown < 5 * 1024, f"memory grew by {grown} kB")
    print(f"{count} bad requests answered rightly, memory +{grown} kB")


def limits_hold_at_their_edge(server):
    """What is just allowed gets its answer, one more does not."""
    t, host, end = server.token, f"Host: 127.0.0.1:{server.port}\r\n", "Connection: close\r\n\r\n"

    def page(lines="", target=None):
        return exchange(server, f"GET {target or f'/{t}/'} HTTP/1.1\r\n{host}{lines}{end}".encode())[0]

    def ask(body):
        head = f"POST /{t}/ask HTTP/1.1\r\n{host}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n{end}"
        return exchange(server, head.encode() + body)

    # The host and the connection are two of the lines.
    for lines, status in ((97, 200), (98, 200), (99, 431)):
        check(page("".join(f"X{i}: 1\r\n" for i in range(lines))) == status, f"{lines + 2} lines of head: not {status}")
    for length, status in ((2047, 404), (2048, 404), (2049, 414)):
        check(page(target="/" + "a" * (length - 1)) == status, f"an address of {length} bytes: not {status}")
    start = f"GET /{t}/ HTTP/1.1\r\n{host}X: "
    room = 8192 - len(start) - 2 - len(end)
    for more, statuses in ((-1, {200}), (0, {200}), (512, {431})):  # the parser does not count the first line
        check(page("X: " + "a" * (room + more) + "\r\n") in statuses, f"a head of {8192 + more} bytes: not {statuses}")
    question = b'{"ask":"start"}'
    for size, status in ((1 << 20) - 1, 200), (1 << 20, 200), ((1 << 20) + 1, 413):
        check(ask(question + b" " * (size - len(question)))[0] == status, f"a body of {size} bytes: not {status}")
    for depth, right in ((8, True), (9, False)):  # the object is the first level
        body = b'{"ask":"start","a":' + b"[" * (depth - 1) + b"]" * (depth - 1) + b"}"
        answer = json.loads(ask(body)[1])
        check(("error" not in answer) == right, f"{depth} levels deep: {str(answer)[:100]}")
    for rows, right in ((2000, True), (2001, False)):
        answer = server.ask({"ask": "run", "points": [[i % 7, i % 5, 1 if i % 2 else -1] for i in range(rows)], "runs": []})[1]
        check(("error" not in answer) == right, f"{rows} points: {str(answer)[:100]}")
    for runs, right in ((2, True), (3, False)):
        answer = server.ask({"ask": "run", "points": [[0, 1, 1], [1, 0, -1]], "runs": [{"algorithm": "perceptron"}] * runs})[1]
        check(("error" not in answer) == right, f"{runs} runs: {str(answer)[:100]}")


def questions_that_are_no_questions(server):
    for body in (b"", b"{", b"[]", b"null", b"{}", b'{"ask":1}', b'{"ask":"x"}', b"[" * 100000, b'{"a":' * 20000, b'{"ask":"run"}', b"\xff\xfe",
                 b'{"ask":"run","points":[[1e999,0,1]],"runs":[]}', b'{"ask":"run","points":[[1,0,2]],"runs":[]}', b'{"ask":"run","points":7,"runs":[]}',
                 b'{"ask":"columns"}', b'{"ask":"make","kind":"../etc"}', b'{"ask":"make","rows":1e9}', b'{"ask":"paste","text":"a"}'):
        status, answer = server.ask(body)
        check(status == 200 and "error" in answer, f"{body[:40]}: {status}, {str(answer)[:80]}")
    points = [[1, 1, 1], [0, 1, -1]]
    for run in ({"algorithm": "nothing"}, {"algorithm": "perceptron", "options": {"passes": "1e9"}}, {"algorithm": "perceptron", "options": {"depth": "1"}},
                {"algorithm": "perceptron", "from": "/etc/passwd"}, {"algorithm": "perceptron", "from": "data/iris.csv"}, {"algorithm": "svm", "options": {"C": "-1"}},
                {"algorithm": "svm", "options": {"kernel": "precomputed"}}, {"algorithm": "svm", "from": "1,1"}):
        status, answer = server.ask({"ask": "run", "points": points, "runs": [run]})
        check(status == 200 and "error" in answer["runs"][0], f"{run}: {str(answer)[:120]}")
        check("No such file" not in json.dumps(answer), f"{run}: a file was looked for")
    check(server.ask({"ask": "run", "points": points * 1001, "runs": []})[1].get("error"), "2002 points are taken")


def slow_ones_are_cut(server, count=500):
    """Heads that do not end, bodies that do not come, answers that nobody takes."""
    fds = descriptors(server)
    host = f"Host: 127.0.0.1:{server.port}\r\n"
    kinds = {
        "half a head": f"GET /{server.token}/ HTTP/1.1\r\n{host}X: ".encode(),
        "half a body": f"POST /{server.token}/ask HTTP/1.1\r\n{host}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{{".encode(),
    }
    for name, beginning in kinds.items():
        waiting = []
        for _ in range(count):
            connection = connect(server)
            connection.sendall(beginning)
            waiting.append(connection)
        worst, answered = 0, 0
        for _ in range(20):
            start = time.monotonic()
            answered += good(server)
            worst = max(worst, time.monotonic() - start)
        check(answered == 20, f"{name}: {answered} of 20 good requests were answered beside {count} slow ones")
        open_ones, deadline = set(waiting), time.monotonic() + 60
        while open_ones and time.monotonic() < deadline:
            ready, _, _ = select.select(list(open_ones)[:900], [], [], 5)
            for connection in ready:
                try:
                    if connection.recv(4096):
                        continue
                except OSError:
                    pass
                open_ones.discard(connection)
        check(not open_ones, f"{name}: {len(open_ones)} of {count} slow connections were never cut")
        for connection in waiting:
            connection.close()
        print(f"{count} connections with {name}: all cut, good requests took at most {1000 * worst:.1f} ms beside them")
    # Answers that nobody reads: a page is more than what a connection holds by itself.
    request = f"GET /{server.token}/ HTTP/1.1\r\n{host}\r\n".encode()
    readers, before = [], memory(server)
    for _ in range(count):
        connection = connect(server)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.setblocking(False)
        connection.send(request)
        readers.append(connection)
    took = []
    for _ in range(20):
        start = time.monotonic()
        check(good(server), f"a good request beside {count} slow readers")
        took.append(time.monotonic() - start)
    grown = memory(server) - before
    check(grown < 64 * 1024, f"memory grew by {grown} kB for {count} slow readers of one page")
    print(f"{count} connections that do not take their answers: the first good request took {1000 * took[0]:.1f} ms, behind {count} pages, the others at most {1000 * max(took[1:]):.1f} ms, memory +{grown} kB")
    deadline = time.monotonic() + 60
    while descriptors(server) > fds + 4 and time.monotonic() < deadline:
        time.sleep(0.25)
    check(descriptors(server) <= fds + 4, f"{descriptors(server)} descriptors are open, {fds} at first")
    for connection in readers:
        connection.close()


def no_more_than_the_limit(server):
    """More connections than are allowed: those beyond are closed at once, and when they are gone all is as before."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 1300:
        print("not tried: 1100 connections need more descriptors than are allowed here")
        return
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 1300), hard))
    many = [connect(server) for _ in range(1100)]
    deadline, closed = time.monotonic() + 30, set()
    while len(closed) < 1100 - 1024 and time.monotonic() < deadline:
        poll = select.poll()
        for connection in many:
            if connection not in closed:
                poll.register(connection, select.POLLIN)
        ready = {fd for fd, _ in poll.poll(1000)}
        closed |= {c for c in many if c not in closed and c.fileno() in ready}
    check(len(closed) >= 1100 - 1024, f"only {len(closed)} of 1100 connections were closed at once")
    for connection in many:
        connection.close()
    deadline = time.monotonic() + 30
    while True:
        try:
            if good(server):
                break
        except OSError:
            pass
        if time.monotonic() > deadline:
            check(False, "no answer after many connections")
            break
        time.sleep(0.1)


def answers_are_those_of_the_program(server):
    xor = [[0, 0, 1], [1, 1, 1], [0, 1, -1], [1, 0, -1]]
    run = {"algorithm": "perceptron", "options": {"passes": "until-clean", "max-passes": "20"}}
    status, answer = server.ask({"ask": "run", "points": xor, "runs": [run]})
    witness = answer["verdict"]["witness"]
    check(answer["verdict"]["verdict"] == "overlapping", "XOR is not overlapping")
    check(sorted(r["row"] for r in witness["rows"]) == [1, 2, 3, 4] and witness["point"] == [0.5, 0.5], f"XOR's witness: {witness}")
    apart = [[0, 0, 1], [1, 1, 1], [0, 1, -1], [-3, 2, -1]]
    check(server.ask({"ask": "run", "points": apart, "runs": [run]})[1]["verdict"]["verdict"] == "separable", "the dragged point does not separate")

    lecture = [[2, 2, 1], [2, -1, -1]]
    run = {"algorithm": "perceptron", "options": {"offset": "none", "passes": "until-clean"}}
    walk = server.ask({"ask": "run", "points": lecture, "runs": [run]})[1]["runs"][0]
    check([s["theta"] for s in walk["steps"]] == [[2, 2], [0, 3]], f"the lecture's steps: {walk['steps']}")
    check(walk["stop"] == "clean" and walk["alpha"]["values"] == [1, 1], f"its end: {walk['stop']}, {walk['alpha']}")

    made = server.ask({"ask": "make", "kind": "nearly", "rows": 60, "seed": 3})[1]["points"]
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "points.csv"
        for points, options in ((lecture, {"offset": "none", "passes": "until-clean"}), (made, {"passes": "7"}), (made, {"passes": "3", "order": "shuffled"})):
            file.write_text("x1,x2,label\n" + "".join(f"{x!r},{y!r},{label}\n" for x, y, label in points))
            words = [word for name, value in options.items() for word in (f"--{name}", value)]
            lines = subprocess.run([PROGRAM, "trace", str(file), "--quiet", *words], capture_output=True, text=True, timeout=60).stdout
            got = server.ask({"ask": "trace", "points": points, "run": {"algorithm": "perceptron", "options": options}})[1]["lines"]
            check(lines and got == lines, f"the trace differs from halfspace trace {' '.join(words)}: {got[:200]} / {lines[:200]}")
        separable = json.loads(subprocess.run([PROGRAM, "separable", str(file), "--json", "--quiet"], capture_output=True, text=True, timeout=60).stdout)
        mine = server.ask({"ask": "run", "points": made, "runs": [{"algorithm": "svm"}]})[1]
        check(mine["verdict"]["verdict"] == separable["verdict"], "the verdict differs from halfspace separable")
        model = json.loads(subprocess.run([PROGRAM, "train", str(file), "--algorithm", "svm", "--json", "--quiet", "-o", str(file) + ".model"], capture_output=True, text=True, timeout=60).stdout)
        check(mine["runs"][0]["objective"]["primal"] == model["objective"]["primal"], "the objective differs from halfspace train")


def signals_end_it():
    for how in (signal.SIGINT, signal.SIGTERM):
        with Playground(PROGRAM) as server:
            # Something that takes a while is under way: the largest walk that is allowed, among points of no order.
            points = [[(i * 37 % 101) / 10, (i * 53 % 97) / 10, 1 if i * 29 % 7 < 3 else -1] for i in range(2000)]
            body = json.dumps({"ask": "run", "points": points, "runs": [{"algorithm": "svm", "options": {"kernel": "rbf:5", "C": "1e6", "gap": "1e-9"}}]})
            with connect(server) as connection:
                connection.sendall(f"POST /{server.token}/ask HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode())
                time.sleep(0.2)
                code = server.end(how)
            check(code == 0, f"{how.name}: exit {code}")
    with Playground(PROGRAM, seconds=1) as server:
        check(server.process.wait(30) == 4, f"its time is up: exit {server.process.returncode}")
    with Playground(PROGRAM) as server:
        taken = subprocess.run([PROGRAM, "playground", "--no-browser", "--port", str(server.port)], capture_output=True, text=True, timeout=30)
        check(taken.returncode == 5 and "cannot listen" in taken.stderr, f"a port that is taken: {taken.returncode}, {taken.stderr}")


def main():
    with Playground(PROGRAM) as server:
        check(len(server.token) == 32, "a token of 32 characters")
        answers_are_those_of_the_program(server)
        questions_that_are_no_questions(server)
        limits_hold_at_their_edge(server)
        wrong_requests_get_constant_texts(server)
        slow_ones_are_cut(server)
        no_more_than_the_limit(server)
        check(server.end(signal.SIGTERM) == 0, "it does not end in order")
    signals_end_it()
    print(f"{failures} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
