# SPDX-License-Identifier: BSD-3-Clause
"""What a worker of Dask does for a team: its members train in threads and reach the others by messages between the workers.

Messages are calls of Dask's own connections (`worker.rpc`). A team has a token that is never used again, so that two fits never meet. The worker
of the first member is the hub: each worker sends it what its members gave, and gets everything when the last one has given.
Every wait ends: with an answer, when the client says that a worker is lost, or when the client has not been heard for `patience` seconds.
"""
import asyncio
import concurrent.futures
import hashlib
import pickle
import threading
import time

import distributed
from distributed.protocol import to_serialize

from . import _dask_rows, _model, _team
from . import _library as lib
from ._team import Lost

_NAME = "halfspace-teams"


class _Meeting:
    """On the hub: what has been given to one gather, and everything once it is there."""

    def __init__(self):
        self.given, self.everything = {}, asyncio.get_running_loop().create_future()


class Team:
    """The part of a team on one worker. `begun` and `progress` are set by its members, all else by the event loop."""

    def __init__(self, worker, token, places, patience):
        self.worker, self.token, self.places, self.patience = worker, token, places, patience
        self.loop = asyncio.get_running_loop()
        self.mine = [number for number, place in enumerate(places) if place == worker.address]
        self.failure, self.heard, self.progress, self.stops, self.told_to_stop = None, time.monotonic(), None, [], False
        self.begun, self.rounds, self.bytes = False, 0, 0
        self._given, self._waiting, self._mail, self._tasks = {}, set(), {}, set()
        self._meeting = _Meeting()
        self._spawn(self._watch())

    def _spawn(self, work):
        task = self.loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _watch(self):
        while self.failure is None:
            await asyncio.sleep(min(1.0, self.patience / 4))
            if time.monotonic() - self.heard > self.patience:
                self.end(f"the client has not been heard for {self.patience:g} seconds")

    def end(self, why):
        """Nobody waits any longer, and nobody will."""
        if self.failure is not None:
            return
        self.failure = why
        _teams(self.worker).pop(self.token, None)
        self.stop()
        for done in self._waiting:
            done.set_exception(Lost(why))
        self._waiting.clear()
        if not self._meeting.everything.done():
            self._meeting.everything.set_exception(Lost(why))
            self._meeting.everything.exception()  # looked at: nobody else may be waiting
        for task in self._tasks:
            task.cancel()

    def stop(self):
        """Training ends at the next sum, with the best model so far."""
        self.told_to_stop = True
        for handle in self.stops:
            lib._so.halfspace_stop_cancel(handle.pointer)

    def add_stop(self, handle):
        self.stops.append(handle)
        if self.told_to_stop:
            lib._so.halfspace_stop_cancel(handle.pointer)

    # ---- asked by members; done: a future of their threads

    def _await(self, done):
        if self.failure is not None:
            done.set_exception(Lost(self.failure))
            return False
        self._waiting.add(done)
        return True

    def _answer(self, done, value):
        if done in self._waiting:
            self._waiting.remove(done)
            done.set_result(value)

    def gather(self, number, data, done):
        if not self._await(done):
            return
        self._given[number] = data, done
        if len(self._given) == len(self.mine):
            given, self._given = self._given, {}
            self.rounds += 1
            self._spawn(self._meet({k: data for k, (data, _) in given.items()}, [done for _, done in given.values()]))

    async def _meet(self, given, waiting):
        try:
            if self.places[0] == self.worker.address:
                everything = await self.give(given)
            else:
                numbers = list(given)
                self.bytes += sum(map(len, given.values()))
                everything = await self.worker.rpc(self.places[0]).halfspace_give(
                    token=self.token, numbers=numbers, given=[to_serialize(given[k]) for k in numbers])
                self.bytes += sum(map(len, everything))
        except Exception as error:  # a connection that is gone, a hub that knows of its end
            self.end(f"the worker of the first member cannot be reached: {error}")
            return
        for done in waiting:
            self._answer(done, everything)

    async def give(self, given):
        meeting = self._meeting
        if self.failure is not None:
            raise Lost(self.failure)
        meeting.given.update(given)
        if len(meeting.given) == len(self.places):
            self._meeting = _Meeting()
            meeting.everything.set_result([meeting.given[number] for number in range(len(self.places))])
        return await asyncio.shield(meeting.everything)

    def send(self, number, place, data):
        if self.failure is None:
            if self.places[number + 1] == self.worker.address:
                self.arrive(number + 1, place, data)
            else:
                self._spawn(self._send(number + 1, place, data))

    async def _send(self, number, place, data):
        self.bytes += len(data)
        try:
            await self.worker.rpc(self.places[number]).halfspace_pass(token=self.token, number=number, place=place, data=to_serialize(data))
        except Exception as error:
            self.end(f"the worker of member {number} cannot be reached: {error}")

    def arrive(self, number, place, data):
        waiting = self._mail.pop((number, place), None)
        if waiting is None:
            self._mail[number, place] = data
        else:
            self._answer(waiting, data)

    def take(self, number, place, done):
        if self._await(done):
            if (number, place) in self._mail:
                self._answer(done, self._mail.pop((number, place)))
            else:
                self._mail[number, place] = done


class Channel:
    """How one member reaches the others: asks the event loop, and waits in its own thread."""

    def __init__(self, team, number):
        self.team, self.number, self.count = team, number, len(team.places)
        self._sent = self._taken = 0
        self.waited = 0.0

    def _ask(self, question, *arguments):
        done, begin = concurrent.futures.Future(), time.monotonic()
        try:
            self.team.loop.call_soon_threadsafe(question, *arguments, done)
        except RuntimeError as error:  # the loop is closed
            raise Lost(f"the worker ends: {error}") from None
        while True:
            try:
                return done.result(timeout=1.0)
            except (TimeoutError, concurrent.futures.TimeoutError):
                if self.team.worker.status not in (distributed.Status.running, distributed.Status.paused):
                    raise Lost("the worker ends") from None
            finally:
                self.waited += time.monotonic() - begin
                begin = time.monotonic()

    def gather(self, mine):
        if self.count == 1:
            return [mine]
        return self._ask(self.team.gather, self.number, mine)

    def send(self, data):
        self.team.loop.call_soon_threadsafe(self.team.send, self.number, self._sent, data)
        self._sent += 1

    def take(self):
        self._taken += 1
        return self._ask(self.team.take, self.number, self._taken - 1)


# ---- the messages: between workers, and from the client (client.run)

def _teams(worker):
    return worker.extensions.setdefault(_NAME, {})


def begin(token, places, patience, version, dask_worker):
    if version != lib.version():
        raise RuntimeError(f"halfspace {lib.version()} on the worker {dask_worker.address}, {version} at the client: the same version is needed everywhere")

    def team_of(token):
        team = _teams(dask_worker).get(token)
        if team is None:
            raise Lost("the team has ended")
        return team

    async def give(comm, token, numbers, given):
        everything = await team_of(token).give(dict(zip(numbers, given)))
        return [to_serialize(data) for data in everything]

    async def hand_on(comm, token, number, place, data):
        team_of(token).arrive(number, place, data)

    dask_worker.handlers["halfspace_give"], dask_worker.handlers["halfspace_pass"] = give, hand_on
    _teams(dask_worker)[token] = Team(dask_worker, token, places, patience)


def look(token, stop, dask_worker):
    """From the client, which is alive: how far the training is; None: there is no such team."""
    team = _teams(dask_worker).get(token)
    if team is None:
        return None
    team.heard = time.monotonic()
    if stop:
        team.stop()
    return {"progress": team.progress, "paused": not team.begun and dask_worker.status == distributed.Status.paused}


def end(token, why, dask_worker):
    team = _teams(dask_worker).get(token)
    if team is not None:
        team.end(why)


# ---- the task

def work(token, parts, how):
    """Trains the members of this worker. parts: (number of the member, its blocks) for each."""
    worker = distributed.get_worker()
    team = _teams(worker).get(token)
    if team is None:
        return {"lost": "the team has ended"}
    team.begun = True
    distributed.secede()  # the others may be waiting for a thread of this worker
    results = [None] * len(parts)
    threads = max(1, worker.state.nthreads // len(parts)) if how["n_jobs"] is None else how["n_jobs"]

    def run(place):
        try:
            results[place] = _train(team, *parts[place], how, threads)
        except BaseException as error:  # also told to the others: they wait
            results[place] = {"lost": f"{type(error).__name__}: {error}"}
            team.loop.call_soon_threadsafe(team.end, results[place]["lost"])

    beside = [threading.Thread(target=run, args=(place,), name="halfspace-member", daemon=True) for place in range(1, len(parts))]
    for thread in beside:
        thread.start()
    run(0)
    for thread in beside:
        thread.join()
    lost = next((result for result in results if "lost" in result), None)
    out = lost or results[0]
    if "digest" in out:
        same = len({result["digest"] for result in results}) == 1
        out.update(rounds=team.rounds, bytes=team.bytes, digest=out["digest"] if same else "members differ")
    return out


def _train(team, number, blocks, how, threads):
    """One member: what it answers is what all answer, but that only the first sends the model."""
    channel, begin = Channel(team, number), time.monotonic()
    data, problem = None, None
    try:
        data = _dask_rows.dataset(blocks, how, threads)
    except Exception as error:
        problem = error
    for said in channel.gather(b"" if problem is None else pickle.dumps(_plain(problem))):
        if len(said):
            return {"error": pickle.loads(said)}
    try:
        model, report = _team.train(data, _trainer(team, number, how, threads), channel, _stop_handle(team))
    except Lost:
        raise
    except Exception as error:
        return {"error": _plain(error)}
    file = b"" if model is None else bytes(model)
    out = {"digest": hashlib.sha256(file).hexdigest(), "waited": channel.waited, "seconds": time.monotonic() - begin, "members": channel.count}
    return {**out, "model": file, "report": report} if number == 0 else out


def _plain(error):
    """The same without what another process may not have."""
    known = (ValueError, TypeError, MemoryError, OSError, lib.Stopped)
    return next((kind for kind in known if isinstance(error, kind)), RuntimeError)(str(error))


def _stop_handle(team):
    handle = lib.Handle("stop", lib._so.halfspace_stop_make())
    team.loop.call_soon_threadsafe(team.add_stop, handle)
    return handle


def _trainer(team, number, how, threads):
    def see(now):
        team.progress = now
        return False if how["most"] is not None and now["iterations"] >= how["most"] else None

    return _model.Trainer(how["algorithm"], how["options"], how["scale"], how["seed"], threads, how["seconds"], see if number == 0 else None)
