# SPDX-License-Identifier: BSD-3-Clause
"""The client of a fit on Dask: gives the workers their members, looks after them, and begins again when one is lost."""
import asyncio
import time
import uuid

import distributed

from . import _dask_blocks, _dask_worker
from . import _library as lib

_POLL = 0.2  # seconds between two looks at the workers


class _LostTeam(Exception):
    """A worker is gone: the blocks that it had are computed again, and the fit begins anew."""


def client_of(client):
    client = distributed.get_client() if client is None else client
    if client.asynchronous:
        raise TypeError("the client is asynchronous: fit needs one that waits (Client(..., asynchronous=False))")
    return client


async def _ask_one(client, function, arguments, worker, patience):
    """The answer of a worker, or the exception: ConnectionError where the scheduler no longer has it, TimeoutError where it says nothing."""
    asked, begin = asyncio.ensure_future(client.run(function, *arguments, workers=[worker], on_error="return")), time.monotonic()
    try:
        while not asked.done():
            await asyncio.wait({asked}, timeout=min(1.0, patience))
            if asked.done():
                break
            if worker not in (await client.scheduler.identity())["workers"]:
                return ConnectionError("the scheduler has lost it")
            if time.monotonic() - begin >= patience:
                return TimeoutError(f"the worker {worker} has not answered for {patience:g} seconds")
        return asked.result()[worker]
    except Exception as error:
        return error
    finally:
        asked.cancel()


def ask(client, function, *arguments, workers, patience):
    """function on every worker, apart from its tasks: {worker: answer, or the exception}."""
    async def everyone():
        return dict(zip(workers, await asyncio.gather(*[_ask_one(client, function, arguments, worker, patience) for worker in workers])))

    return client.sync(everyone)


def _finished(futures):
    """Whether all are there; raises what one has raised."""
    for future in futures:
        if future.status == "error":
            future.result()
        if future.status in ("cancelled", "lost"):
            raise RuntimeError(f"the block {future.key} was in a worker that is gone, and Dask does not know how to compute it again")
    return all(future.status == "finished" for future in futures)


def wait_for(client, futures, patience):
    """Until all of them are there; an error where one fails, or where the cluster does nothing at all for `patience` seconds."""
    idle_since = None
    while not _finished(futures):
        try:
            distributed.wait(futures, timeout=_POLL if idle_since else 2.0)
        except (TimeoutError, asyncio.TimeoutError):
            now = time.monotonic()
            idle_since = None if any(client.processing().values()) else idle_since or now
            if idle_since is not None and now - idle_since > patience:
                why = "blocks may be pinned to workers that are gone" if client.scheduler_info()["workers"] else "it has no workers"
                raise RuntimeError(f"the cluster has computed nothing for {patience:g} seconds, and blocks are missing: {why}") from None
        except (Exception, asyncio.CancelledError):  # one of them has failed: _finished() says which
            _finished(futures)


def holders_of(client, futures, patience):
    """For every future the workers where it lies, once all are there."""
    end = None
    while True:
        wait_for(client, futures, patience)
        where = {str(key): workers for key, workers in client.who_has(futures).items()}
        holders = [where.get(str(future.key), ()) for future in futures]
        if all(holders):
            return holders
        end = end or time.monotonic() + patience  # some were lost just now
        if time.monotonic() > end:
            raise RuntimeError(f"blocks that Dask calls finished have been in no worker for {patience:g} seconds")
        time.sleep(_POLL)


class TeamFit:
    """One fit. blocks: [(x, y, w)] of futures; rows: of each block; how: what every member is told."""

    def __init__(self, client, blocks, rows, how, settings, watch):
        self.client, self.blocks, self.rows, self.how, self.watch = client, blocks, rows, how, watch
        self.retries, self.patience, self.members = settings["retries"], settings["patience"], settings["members"]
        self.first_rows = _running(rows)

    def run(self):
        """(bytes of the model or b"", report, figures of the team)"""
        for attempt in range(self.retries + 1):
            try:
                out, figures = self._attempt()
                return out["model"], out["report"], {**figures, "attempts": attempt + 1}
            except _LostTeam as lost:
                why = str(lost)
        raise RuntimeError(f"no training came to its end in {self.retries + 1} attempts; the last: {why}")

    def _attempt(self):
        holders = holders_of(self.client, [x for x, _, _ in self.blocks], self.patience)
        wait_for(self.client, [part for block in self.blocks for part in block if part is not None], self.patience)
        workers = {worker for where in holders for worker in where}
        stretches = _dask_blocks.plan(holders, self.rows, self.members or 4 * len(workers))
        places = [worker for worker, _ in stretches]
        team = list(dict.fromkeys(places))
        token, tasks = uuid.uuid4().hex, {}
        try:
            answers = ask(self.client, _dask_worker.begin, token, places, self.patience, lib.version(), workers=team, patience=self.patience)
            self._judge(answers)
            for worker in team:
                parts = [(number, [self._block(block) for block in blocks]) for number, (place, blocks) in enumerate(stretches) if place == worker]
                tasks[worker] = self.client.submit(_dask_worker.work, token, parts, self.how, key=f"halfspace-{token}-{team.index(worker)}",
                                                   workers=[worker], allow_other_workers=False, pure=False, retries=0)
            results = self._look_after(token, tasks)
        except BaseException:
            self._end(token, team, tasks)
            raise
        self._end(token, team, {})
        return self._agreed(list(results.values())), _figures(results.values(), len(places), len(team))

    def _block(self, block):
        return (self.first_rows[block], self.rows[block], *self.blocks[block])

    def _judge(self, answers):
        """The errors of workers that were asked: one that does not answer ends the fit, one that is gone the attempt."""
        for worker, answer in answers.items():
            if isinstance(answer, TimeoutError):
                raise RuntimeError(f"{answer}; it may be stopped or out of reach. Restart it, or give a longer patience=")
            if isinstance(answer, (ImportError, AttributeError, RuntimeError, TypeError)) and not isinstance(answer, OSError):
                raise RuntimeError(f"the worker {worker} cannot take part: {answer}") from answer
            if isinstance(answer, BaseException):
                raise _LostTeam(f"the worker {worker} is gone: {answer}")

    def _look_after(self, token, tasks):
        stop, pause, paused, results = False, 0.02, {}, {}
        while True:
            try:
                distributed.wait(list(tasks.values()), timeout=pause)
            except (Exception, asyncio.CancelledError):  # not yet, or one has failed: below
                pause = min(_POLL + 0.01 * len(tasks), 2 * pause)
            for worker, task in tasks.items():
                if worker not in results and task.status != "pending":
                    results[worker] = self._result_of(worker, task)
            if len(results) == len(tasks):
                return results
            known = self.client.scheduler_info()["workers"]
            gone = [worker for worker in tasks if worker not in known]
            if gone:
                raise _LostTeam(f"the worker {gone[0]} is gone")
            answers = ask(self.client, _dask_worker.look, token, stop, workers=list(tasks), patience=self.patience)
            self._judge(answers)
            self._without_memory(answers, paused)
            if self.watch is not None and not stop:
                now = next((answer["progress"] for answer in answers.values() if answer and answer["progress"]), None)
                stop = now is not None and self.watch(now) is False

    def _result_of(self, worker, task):
        """What a task has answered. Its worker may die before that is fetched."""
        try:
            result = task.result(timeout=self.patience)
        except (Exception, asyncio.CancelledError) as error:
            raise _LostTeam(f"the task of the worker {worker}: {type(error).__name__}: {error}") from None
        if "lost" in result:
            raise _LostTeam(result["lost"])
        return result

    def _without_memory(self, answers, paused):
        """A paused worker begins nothing, and may never again: its blocks are what fills its memory."""
        for worker, answer in answers.items():
            if not answer or not answer["paused"]:
                paused.pop(worker, None)
            elif time.monotonic() - paused.setdefault(worker, time.monotonic()) > self.patience:
                raise MemoryError(f"the worker {worker} is paused by Dask, which finds too little memory in it, and has not begun for {self.patience:g} seconds")

    def _end(self, token, team, tasks):
        """Nothing of the team stays: its members end at once, and so do their tasks."""
        if tasks:
            self.client.cancel(list(tasks.values()))
        try:
            ask(self.client, _dask_worker.end, token, "the fit has ended", workers=team, patience=min(5.0, self.patience))
        except Exception:  # without a scheduler there is nobody to tell: members end by themselves after `patience` seconds
            pass

    @staticmethod
    def _agreed(results):
        error = next((result["error"] for result in results if "error" in result), None)
        if error is not None:
            raise error
        if len({result["digest"] for result in results}) != 1:
            raise RuntimeError("halfspace: the members of the team have trained different models, which must not be; please report it")
        return next(result for result in results if "model" in result)


def _running(rows):
    out, total = [], 0
    for count in rows:
        out.append(total)
        total += count
    return out


def _figures(results, members, workers):
    figures = [result for result in results if "digest" in result]
    return {"members": members, "workers": workers, "rounds": max((one["rounds"] for one in figures), default=0),
            "bytes": sum(one["bytes"] for one in figures), "waiting": max((one["waited"] / max(one["seconds"], 1e-9) for one in figures), default=0.0)}
