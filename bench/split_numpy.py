"""Purged and embargoed k-fold in numpy, for contiguous folds of cases in start order; called by split.mjs."""
import json
import sys
import time

import numpy as np

folder, plan = sys.argv[1], json.loads(sys.argv[2])
t0 = np.fromfile(f"{folder}/t0")
t1 = np.fromfile(f"{folder}/t1")
n = len(t0)


def folds():
    sums = []
    positions = np.arange(n)
    for test in np.array_split(positions, plan["folds"]):
        first, end = t0[test[0]], t1[test].max()
        before = positions < test[0]
        after = positions > test[-1]
        purged = (before & (t1 >= first)) | (after & (t0 <= end))
        embargoed = after & ~purged & (t0 <= end + plan["embargo"])
        train = positions[(before | after) & ~purged & ~embargoed]
        sums.append([len(train), int(train.sum()), int(purged.sum()), int(embargoed.sum())])
    return sums


spent = []
for _ in range(plan["runs"]):
    started = time.process_time()
    result = folds()
    spent.append(time.process_time() - started)
print(json.dumps({"seconds": min(spent), "sums": result}))
