"""The work of leakage.mjs in numpy: local linear jump, CR1, CR2 with Bell-McCaffrey df, bootstrap over clusters."""

import json
import sys
import time

import numpy as np


def by_cluster(group, count, columns):
    """Sum of each column over the rows of each cluster, count x columns."""
    return np.stack([np.bincount(group, column, count) for column in columns.T], axis=1)


def window(at, y, clusters, cutoff, h):
    r = at - cutoff
    w = 1 - np.abs(r) / h
    kept = np.flatnonzero(w > 0)
    ids, group = np.unique(clusters[kept], return_inverse=True)
    return r[kept], y[kept], w[kept], group, len(ids)


def fit(at, y, clusters, cutoff, h):
    r, y, w, group, count = window(at, y, clusters, cutoff, h)
    n = len(r)
    before = (r < 0).astype(float)
    root = np.sqrt(w)
    x = np.stack([root, before * root, r * root, before * r * root], axis=1)
    q, upper = np.linalg.qr(x)
    c = np.linalg.solve(upper.T, np.array([0.0, -1.0, 0.0, 0.0]))
    beta = q.T @ (y * root)
    e = y * root - q @ beta
    scores = by_cluster(group, count, q * e[:, None])
    cr0 = np.sum((scores @ c) ** 2)
    pairs = [(i, j) for i in range(4) for j in range(i, 4)]
    products = by_cluster(group, count, np.stack([q[:, i] * q[:, j] for i, j in pairs], axis=1))
    grams = np.empty((count, 4, 4))
    for column, (i, j) in enumerate(pairs):
        grams[:, i, j] = grams[:, j, i] = products[:, column]
    values, vectors = np.linalg.eigh(grams)
    along = np.einsum("gij,i->gj", vectors, c)
    scale = np.where(values < 1 - 1e-10, 1 / np.sqrt(np.maximum(1 - values, 1e-300)), 0)
    b = along * scale
    cr2 = np.sum(np.sum(b * np.einsum("gij,gi->gj", vectors, scores), axis=1) ** 2)
    own = np.sum(values * along**2 * (scale > 0), axis=1)
    u = np.einsum("gij,gj->gi", vectors, values * b)
    squares = np.sum(own**2 - np.sum(u * u, axis=1) ** 2) + np.sum((u.T @ u) ** 2)
    return {
        "estimate": float(c @ beta),
        "se": float(np.sqrt(cr2)),
        "df": float(own.sum() ** 2 / squares),
        "se_cr1": float(np.sqrt(cr0 * count / (count - 1) * (n - 1) / (n - 4))),
        "clusters": count,
    }


def interval(at, y, clusters, cutoff, h, resamples, dice):
    r, y, w, group, count = window(at, y, clusters, cutoff, h)
    before = r < 0
    levels = []
    drawn = dice.multinomial(count, np.full(count, 1 / count), size=resamples)
    for side in (before, ~before):
        r1, y1, w1 = r[side], y[side], w[side]
        columns = np.stack([w1, w1 * r1, w1 * r1 * r1, w1 * y1, w1 * r1 * y1], axis=1)
        s = drawn @ by_cluster(group[side], count, columns)
        slope = (s[:, 4] - s[:, 1] * s[:, 3] / s[:, 0]) / (s[:, 2] - s[:, 1] ** 2 / s[:, 0])
        levels.append((s[:, 3] - slope * s[:, 1]) / s[:, 0])
    return np.quantile(levels[1] - levels[0], [0.025, 0.975]).tolist()


def main():
    folder, plan = sys.argv[1], json.loads(sys.argv[2])
    at, y = (np.fromfile(f"{folder}/{name}", np.float64) for name in ("at", "y"))
    clusters = np.fromfile(f"{folder}/clusters", np.int32)
    times = {"sweep": [], "bootstrap": []}
    for _ in range(plan["runs"]):
        started = time.process_time()
        fits = [fit(at, y, clusters, cutoff, h) for cutoff in plan["sweep"] for h in plan["bandwidths"]]
        between = time.process_time()
        dice = np.random.default_rng(1)
        intervals = [
            interval(at, y, clusters, plan["cutoff"], h, plan["resamples"], dice) for h in plan["bandwidths"]
        ]
        times["sweep"].append(between - started)
        times["bootstrap"].append(time.process_time() - between)
    least = {name: min(all_runs) for name, all_runs in times.items()}
    print(json.dumps({**least, "fits": fits, "intervals": intervals}))


main()
