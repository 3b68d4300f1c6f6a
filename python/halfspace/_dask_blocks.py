# SPDX-License-Identifier: BSD-3-Clause
"""Collections of Dask as blocks of rows that lie in workers, and which worker trains which of them."""
import numpy as np
from dask import array, dataframe
from dask.core import flatten
from distributed import futures_of


def _rows_of(X):
    """X in blocks of whole rows, with the names of its columns, or None."""
    if isinstance(X, array.Array):
        if X.ndim != 2:
            raise ValueError(f"Expected 2D array, got {X.ndim}D array instead: X has rows and columns")
        return (X if X.numblocks[1] == 1 else X.rechunk({1: -1})), None
    if isinstance(X, dataframe.DataFrame):
        for name, kind in X.dtypes.items():
            if getattr(kind, "kind", "O") not in "biuf":
                raise ValueError(f"column {name} of X holds {kind}; numbers are expected (dask.dataframe.get_dummies makes columns of categories)")
        return X, [str(name) for name in X.columns]
    raise TypeError(f"X is a {type(X).__name__}; a dask array or frame is expected: dask.array.from_array(X, chunks=(rows, -1)) makes one, and "
                    f"halfspace.{{}} takes what is in memory")


def _beside(name, values, X):
    """Labels or weights in the blocks of X."""
    if not isinstance(values, (array.Array, dataframe.Series)):
        if isinstance(values, dataframe.DataFrame):
            raise ValueError(f"{name} is a frame; one of its columns is expected")
        if not isinstance(X, array.Array) or np.isnan(X.chunks[0]).any():
            raise TypeError(f"{name} is a {type(values).__name__}, and the lengths of the blocks of X are not known; a dask array or series with the same blocks is expected")
        values = np.asarray(values)
        if len(values) != X.shape[0]:
            raise ValueError(f"X has {X.shape[0]} rows, {name} has {len(values)}")
        return array.from_array(values, chunks=(X.chunks[0], *values.shape[1:]))
    if isinstance(values, array.Array) and isinstance(X, array.Array) and not (np.isnan(X.shape[0]) or np.isnan(values.shape[0])):
        if values.shape[0] != X.shape[0]:
            raise ValueError(f"X has {X.shape[0]} rows, {name} has {values.shape[0]}")
        if values.chunks[0] != X.chunks[0]:
            values = values.rechunk({0: X.chunks[0]})
    if values.npartitions != X.npartitions:
        raise ValueError(f"X has {X.npartitions} blocks, {name} has {values.npartitions}; where lengths are not known, the blocks must be the same")
    return values


def collections(X, y, sample_weight):
    """(X, y, weights or None) in the same blocks, and the names of the columns and of the labels, or None."""
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None")
    X, names = _rows_of(X)
    label_name = getattr(y, "name", None) if isinstance(y, dataframe.Series) else None
    y = _beside("y", y, X)
    weights = None if sample_weight is None else _beside("sample_weight", sample_weight, X)
    return (X, y, weights), names, label_name if isinstance(label_name, str) else None


def _piece(collection, begin, end):
    return (collection.blocks if isinstance(collection, array.Array) else collection.partitions)[begin:end]


def _in_order(collection):
    known = {str(future.key): future for future in futures_of(collection)}
    return [known[key if isinstance(key, str) else str(key)] for key in flatten(collection.__dask_keys__())]


def persist(client, whole):
    """Futures of the blocks of X, y and weights, [(x, y, w), ...]. Blocks that are there stay where they are. What is yet to be computed from
    nothing that lies in a worker is laid out in order: as many stretches as there are workers, so that there are few members."""
    parts = [part for part in whole if part is not None]
    workers = sorted(client.scheduler_info()["workers"])
    count = parts[0].npartitions
    if futures_of(parts) or not workers:
        laid = [[done] for done in client.persist(parts)]
    else:
        cuts = [count * k // len(workers) for k in range(len(workers) + 1)]
        laid = [[] for _ in parts]
        for worker, begin, end in zip(workers, cuts, cuts[1:]):
            if begin < end:
                pieces = client.persist([_piece(part, begin, end) for part in parts], workers=[worker], allow_other_workers=True)
                for kept, piece in zip(laid, pieces):
                    kept.append(piece)
    columns = [[future for piece in pieces for future in _in_order(piece)] for pieces in laid]
    return list(zip(*columns, *([[None] * count] * (3 - len(columns)))))


def plan(holders, rows, most):
    """Who trains what: [(worker, numbers of its blocks)], each a stretch of all blocks, in order. Blocks without rows belong to nobody.

    holders: for every block the workers where it lies. Blocks stay there as long as that makes at most `most` members; else every worker
    gets one stretch of about the same number of rows, and blocks move between the workers.
    """
    stretches = []
    for block, where in enumerate(holders):
        if rows[block] == 0:
            continue
        if stretches and stretches[-1][0] in where:
            stretches[-1][1].append(block)
        else:
            stretches.append((min(where), [block]))
    return stretches if len(stretches) <= most else _even(holders, rows)


def _even(holders, rows):
    workers = sorted({worker for where in holders for worker in where})
    total, begun, stretches = sum(rows), 0, [[] for _ in workers]
    for block, count in enumerate(rows):
        if count:
            stretches[min(len(workers) - 1, int((begun + count / 2) * len(workers) / total))].append(block)
        begun += count
    out = []
    for stretch in stretches:
        if stretch:
            here = {worker: sum(rows[block] for block in stretch if worker in holders[block]) for worker in workers}
            best = max(workers, key=lambda worker: here[worker])
            workers.remove(best)
            out.append((best, stretch))
    return out
