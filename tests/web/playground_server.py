"""A playground for a test: started on a free port, ended with the block, and by itself after two minutes."""
import http.client
import json
import signal
import subprocess


class Playground:
    def __init__(self, program, *words, seconds=120):
        self.command = [program, "playground", *words, "--no-browser", "--json", "--quiet", "--time", str(seconds)]

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"the playground did not start: exit {self.process.wait(10)}")
        self.address = json.loads(line)["address"]
        host, self.token = self.address.removeprefix("http://").rstrip("/").split("/")
        self.port = int(host.split(":")[1])
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.end(signal.SIGTERM)
        self.process.stdout.close()

    def end(self, how):
        """The exit code after a signal; killed when it does not come."""
        self.process.send_signal(how)
        try:
            return self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(10)
            return "killed"

    def ask(self, question):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        body = question if isinstance(question, (bytes, str)) else json.dumps(question)
        connection.request("POST", f"/{self.token}/ask", body, {"Content-Type": "application/json"})
        response = connection.getresponse()
        text = response.read()
        connection.close()
        return response.status, (json.loads(text) if response.status == 200 else text)
