#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The commands of docs/cluster.md for mpirun and for Slurm, run on this machine: docs_test.py HALFSPACE-MPI HALFSPACE mpi|slurm.

A sh block after a line <!-- mpi --> is run by bash in a folder of its own; one after <!-- slurm --> under a Slurm of one node that
is started for it: a controller and a node on loopback, as this user, with a key of their own, ended with the test."""
import getpass
import os
import pathlib
import re
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time

KIND = sys.argv.pop()
from support import ENVIRONMENT, PLAIN, PROGRAM  # noqa: E402

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "cluster.md"
BLOCK = re.compile(r"^<!-- (mpi|slurm) -->\n```sh\n(.*?)^```\n(?:```text\n(.*?)^```\n)?", re.M | re.S)
DAEMONS = ("munged", "slurmctld", "slurmd", "srun", "sinfo")
CONFIGURATION = """ClusterName=loopback
SlurmctldHost=localhost(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/controller.pid
SlurmdPidFile={folder}/node.pid
SlurmctldLogFile={folder}/controller.log
SlurmdLogFile={folder}/node.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SchedulerType=sched/builtin
JobAcctGatherType=jobacct_gather/none
MpiDefault=pmix
NodeName=localhost NodeAddr=127.0.0.1 CPUs={cores} State=UNKNOWN
PartitionName=all Nodes=localhost Default=YES State=UP OverSubscribe=FORCE:8
"""


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Slurm:
    """A cluster of this machine."""

    def __init__(self, folder):
        self.folder, self.daemons = folder, []
        for name in ("state", "spool"):
            (folder / name).mkdir()
        key = folder / "munge.key"
        key.write_bytes(secrets.token_bytes(128))
        key.chmod(0o600)
        configuration = folder / "slurm.conf"
        configuration.write_text(CONFIGURATION.format(user=getpass.getuser(), folder=folder, ports=free_ports(2), cores=os.cpu_count()))
        self.environment = {"SLURM_CONF": str(configuration)}
        self.start("munged", "--foreground", "--force", f"--key-file={key}", f"--socket={folder}/munge.socket", f"--pid-file={folder}/munged.pid",
                   f"--log-file={folder}/munged.log", f"--seed-file={folder}/munge.seed")
        for _ in range(200):
            if (folder / "munge.socket").exists():
                break
            time.sleep(0.05)
        self.start("slurmctld", "-D", "-f", str(configuration))
        self.start("slurmd", "-D", "-N", "localhost", "-f", str(configuration))
        for _ in range(300):
            if "idle" in subprocess.run(["sinfo", "-h", "-o", "%t"], env={**os.environ, **self.environment}, capture_output=True, text=True, check=False).stdout:
                return
            time.sleep(0.1)
        raise RuntimeError("Slurm does not come up:\n" + "\n".join(p.read_text(errors="replace")[-2000:] for p in folder.glob("*.log")))

    def start(self, *words):
        self.daemons.append(subprocess.Popen(words, env={**os.environ, **self.environment}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                             stderr=subprocess.DEVNULL))

    def stop(self):
        for daemon in reversed(self.daemons):
            daemon.terminate()
        for daemon in self.daemons:
            try:
                daemon.wait(20)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()


def pattern(shown):
    """The regular expression of an output: … stands for anything in a line."""
    return re.compile("".join("[^\n]*".join(re.escape(piece.rstrip()) for piece in line.split("…")) + r"[ \t]*\n" for line in shown.splitlines()))


def main():
    missing = [name for name in DAEMONS if KIND == "slurm" and shutil.which(name) is None and not pathlib.Path("/usr/sbin", name).exists()]
    if missing:
        print(f"SKIPPED: there is no {', '.join(missing)} (Debian: slurmctld, slurmd, slurm-client, munge)")
        return 0
    blocks = [(text, shown) for kind, text, shown in BLOCK.findall(PAGE.read_text(encoding="utf-8")) if kind == KIND]
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    with tempfile.TemporaryDirectory(prefix="halfspace-cluster-") as name:
        folder = pathlib.Path(name).resolve()
        (folder / "bin").mkdir()
        for program, called in ((PLAIN, "halfspace"), (PROGRAM, "halfspace-mpi")):
            shutil.copy2(program, folder / "bin" / called)
        environment = {**ENVIRONMENT, "PATH": f"{folder}/bin:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}
        slurm = None
        failed = 0
        try:
            if KIND == "slurm":
                (folder / "slurm").mkdir()
                slurm = Slurm(folder / "slurm")
                environment.update(slurm.environment)
            (folder / "work").mkdir()
            for text, shown in blocks:
                done = subprocess.run(["bash", "-euo", "pipefail", "-c", text], cwd=folder / "work", env=environment, stdin=subprocess.DEVNULL,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300, check=False)
                printed = done.stdout.decode("utf-8", "replace")
                if done.returncode != 0 or (shown and not pattern(shown).fullmatch(printed)):
                    failed += 1
                    print(f"exit {done.returncode}; printed:\n{printed}the page has:\n{text}{shown}")
        finally:
            if slurm is not None:
                slurm.stop()
    print(f"{len(blocks)} blocks run, {failed} complaints")
    return 1 if failed or not blocks else 0


if __name__ == "__main__":
    sys.exit(main())
