"""The deflation of ledger.mjs in numpy: ratios, SR0, the deflated ratio, CSCV by sums of blocks, the average correlation."""

import itertools
import json
import math
import sys
import time
from statistics import NormalDist

import numpy as np

NORMAL = NormalDist()
GAMMA = 0.5772156649015329


def moments(returns):
    centred = returns - returns.mean(axis=1, keepdims=True)
    spread = np.sqrt((centred**2).mean(axis=1, keepdims=True))
    z = centred / spread
    return returns.mean(axis=1) / returns.std(axis=1, ddof=1), (z**3).mean(axis=1), (z**4).mean(axis=1)


def overfitting(returns, blocks):
    """All halvings at once: sums and sums of squares of the blocks, times a matrix of which blocks are in sample."""
    trials, periods = returns.shape
    length = periods // blocks
    parts = returns[:, periods % blocks :].reshape(trials, blocks, length)
    sums, squares = parts.sum(axis=2), (parts**2).sum(axis=2)
    taken = list(itertools.combinations(range(blocks), blocks // 2))
    inside = np.zeros((len(taken), blocks))
    inside[np.arange(len(taken))[:, None], np.array(taken)] = 1
    n = length * blocks // 2

    def ratios(chosen):
        total, square = chosen @ sums.T, chosen @ squares.T
        return (total / n) / np.sqrt((square - total**2 / n) / (n - 1))

    best = ratios(inside).argmax(axis=1)
    outside = ratios(1 - inside)
    own = outside[np.arange(len(taken)), best]
    rank = 1 + (outside < own[:, None]).sum(axis=1)
    logits = np.log(rank / (trials + 1 - rank))
    return (logits <= 0).mean(), (own < 0).mean()


def deflation(returns, blocks):
    trials, periods = returns.shape
    ratio, skewness, kurtosis = moments(returns)
    bar = math.sqrt(ratio.var(ddof=1)) * (
        (1 - GAMMA) * NORMAL.inv_cdf(1 - 1 / trials) + GAMMA * NORMAL.inv_cdf(1 - 1 / (trials * math.e))
    )
    b = int(ratio.argmax())
    scale = 1 - skewness[b] * ratio[b] + (kurtosis[b] - 1) / 4 * ratio[b] ** 2
    dsr = NORMAL.cdf((ratio[b] - bar) * math.sqrt((periods - 1) / scale))
    pbo, loss = overfitting(returns, blocks)
    correlation = np.corrcoef(returns)
    mean = (correlation.sum() - trials) / (trials * (trials - 1))
    return {"sr0": bar, "dsr": dsr, "pbo": pbo, "loss": loss, "effective": mean + (1 - mean) * trials}


folder, plan = sys.argv[1], json.loads(sys.argv[2])
returns = np.fromfile(f"{folder}/returns").reshape(plan["trials"], -1)
seconds = math.inf
for _ in range(plan["runs"]):
    started = time.process_time()
    found = deflation(returns, plan["blocks"])
    seconds = min(seconds, time.process_time() - started)
print(json.dumps({"seconds": seconds, **{key: float(value) for key, value in found.items()}}))
