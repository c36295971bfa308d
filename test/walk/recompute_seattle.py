"""A second implementation of the Seattle rain backtest, from the CSV alone.

The tests compare the engine with what this script prints. It shares no code
with the engine, imports nothing outside the standard library (Python 3.11),
and prefers the obvious computation to the fast one: every visible row is
scanned for every case, and every standard error comes from dense matrices.
Nothing is rounded; sums are plain and run in case order.

Usage: python3 recompute_seattle.py seattle-weather.csv [--seed 1] [--cases]
"""

import argparse
import csv
import hashlib
import json
import math
from datetime import date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

ZONE = ZoneInfo("America/Los_Angeles")
FIRST_CASE, LAST_CASE = date(2014, 1, 1), date(2015, 12, 31)
ONE_DAY = timedelta(days=1)

# The family: snapshot name -> month of the post-training cutoff.
FAMILY = {f"seattle-recall-{y}-{m:02d}": (y, m) for y, m in ((2012, 12), (2013, 12), (2014, 12), (2015, 6))}

RESAMPLES, LOWER, UPPER = 1000, 0.025, 0.975


# ---------------------------------------------------------------- the data


def first_instant(day):
    """The first instant of a local date, in seconds since 1970 UTC."""
    return int(datetime(day.year, day.month, day.day, tzinfo=ZONE).timestamp())


def cutoff_instant(month):
    """A month as an instant: the first instant of the next month, UTC."""
    y, m = month
    y, m = (y + 1, 1) if m == 12 else (y, m + 1)
    return int(datetime(y, m, 1, tzinfo=timezone.utc).timestamp())


def week_of(day):
    iso = day.isocalendar()
    return f"{iso.year}-W{iso.week:02d}"


def read_rows(path):
    """[(date, event, available)] in date order; event is precipitation > 0."""
    with open(path, newline="", encoding="utf-8") as f:
        rows = []
        for record in csv.DictReader(f):
            day = date.fromisoformat(record["date"])
            rows.append((day, float(record["precipitation"]) > 0, first_instant(day + ONE_DAY)))
    rows.sort()
    return rows


# -------------------------------------------------------------- the readers


def day_of_year(day):
    return day.timetuple().tm_yday


def climatology(visible, asked):
    n = events = 0
    for day, event, _ in visible:
        apart = abs(day_of_year(day) - day_of_year(asked))
        if min(apart, 366 - apart) <= 15:
            n += 1
            events += event
    return (1 + events) / (2 + n)


def persistence(visible):
    if not visible:
        return 0.5
    state = visible[-1][1]
    n = events = 0
    for (day, before, _), (next_day, after, _) in zip(visible, visible[1:]):
        if next_day - day == ONE_DAY and before == state:
            n += 1
            events += after
    return (1 + events) / (2 + n)


def memory(rows, snapshot):
    """What a snapshot remembers: id -> outcome, resolved at or before its cutoff."""
    cutoff = cutoff_instant(FAMILY[snapshot])
    return {f"rain-{day}": event for day, event, resolved in rows if resolved <= cutoff}


def route(horizon):
    """The newest snapshot whose cutoff strictly precedes the horizon."""
    eligible = [s for s in FAMILY if cutoff_instant(FAMILY[s]) < horizon]
    return max(eligible, key=lambda s: FAMILY[s]) if eligible else None


def brier(p, outcome):
    d = p - (1.0 if outcome else 0.0)
    return d * d


def mean(values):
    total = 0.0
    for v in values:
        total += v
    return total / len(values)


# ------------------------------------------------------------ the bootstrap

MASK64, MASK32 = (1 << 64) - 1, (1 << 32) - 1


class Xoroshiro128Plus:
    """xoroshiro128+ (2018 constants 24, 16, 37); gives the low 32 bits of s0 + s1."""

    def __init__(self, seed, path):
        digest = hashlib.sha256(str(seed).encode("ascii") + b"\x00" + path.encode("utf-8")).digest()
        s01, s00, s11, s10 = (int.from_bytes(digest[i : i + 4], "big") for i in (0, 4, 8, 12))
        self.s0 = s01 << 32 | s00
        self.s1 = s11 << 32 | s10

    def next(self):
        out = (self.s0 + self.s1) & MASK32
        a = self.s0 ^ self.s1
        self.s0 = rotl(self.s0, 24) ^ a ^ (a << 16 & MASK64)
        self.s1 = rotl(a, 37)
        return out

    def below(self, size):
        limit = (1 << 32) - (1 << 32) % size
        u = self.next()
        while u >= limit:
            u = self.next()
        return u % size


def rotl(x, k):
    return (x << k | x >> (64 - k)) & MASK64


def quantile7(ordered, p):
    h = (len(ordered) - 1) * p
    i = math.floor(h)
    if i + 1 >= len(ordered):
        return ordered[-1]
    return ordered[i] + (h - i) * (ordered[i + 1] - ordered[i])


def bootstrap(values, clusters, seed, path):
    """Percentile interval of the mean; whole clusters are drawn, sorted by id."""
    sums = {}
    for v, c in zip(values, clusters):
        s, n = sums.get(c, (0.0, 0))
        sums[c] = (s + v, n + 1)
    blocks = [sums[c] for c in sorted(sums)]
    random = Xoroshiro128Plus(seed, path)
    means = []
    for _ in range(RESAMPLES):
        total, n = 0.0, 0
        for _ in blocks:
            s, k = blocks[random.below(len(blocks))]
            total += s
            n += k
        means.append(total / n)
    means.sort()
    return {
        "mean": mean(values),
        "ci95": [quantile7(means, LOWER), quantile7(means, UPPER)],
        "method": "bootstrap",
        "clusters": len(blocks),
        "n": len(values),
    }


# --------------------------------------------------------------- Student's t


def incomplete_beta(a, b, x):
    """The regularised incomplete beta function, by Lentz's continued fraction."""
    if x <= 0.0:
        return 0.0
    if x >= 1.0:
        return 1.0
    if x > (a + 1) / (a + b + 2):
        return 1.0 - incomplete_beta(b, a, 1.0 - x)
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    ) / a
    tiny = 1e-300
    c, d = 1.0, 1.0 - (a + b) * x / (a + 1)
    d = 1.0 / (d if abs(d) > tiny else tiny)
    result = d
    for m in range(1, 10000):
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1.0 + numerator * d
            d = 1.0 / (d if abs(d) > tiny else tiny)
            c = 1.0 + numerator / c
            c = c if abs(c) > tiny else tiny
            step = c * d
            result *= step
        if abs(step - 1.0) < 1e-16:
            break
    return front * result


def t_quantile(p, df):
    """The quantile of Student's t for p > 1/2, by bisection."""

    def upper_tail(t):
        return 0.5 * incomplete_beta(df / 2, 0.5, df / (df + t * t))

    lo, hi = 0.0, 1.0
    while upper_tail(hi) > 1 - p:
        hi *= 2
    while True:
        mid = (lo + hi) / 2
        if mid == lo or mid == hi:
            return mid
        if upper_tail(mid) > 1 - p:
            lo = mid
        else:
            hi = mid


# ----------------------------------------------------- CR2 and its degrees of freedom


def matmul(a, b):
    columns = list(zip(*b))
    return [[dot(row, column) for column in columns] for row in a]


def dot(a, b):
    total = 0.0
    for x, y in zip(a, b):
        total += x * y
    return total


def transpose(a):
    return [list(column) for column in zip(*a)]


def inverse(a):
    """Gauss-Jordan with partial pivoting."""
    n = len(a)
    work = [list(row) + [1.0 if i == j else 0.0 for j in range(n)] for i, row in enumerate(a)]
    for j in range(n):
        pivot = max(range(j, n), key=lambda i: abs(work[i][j]))
        work[j], work[pivot] = work[pivot], work[j]
        scale = work[j][j]
        work[j] = [v / scale for v in work[j]]
        for i in range(n):
            if i != j and work[i][j] != 0.0:
                factor = work[i][j]
                work[i] = [v - factor * w for v, w in zip(work[i], work[j])]
    return [row[n:] for row in work]


def eigen_symmetric(a):
    """Eigenvalues, and eigenvectors as columns, by cyclic Jacobi rotations."""
    n = len(a)
    a = [list(row) for row in a]
    v = [[1.0 if i == j else 0.0 for j in range(n)] for i in range(n)]
    for _ in range(100):
        off = sum(a[i][j] * a[i][j] for i in range(n) for j in range(n) if i != j)
        if off < 1e-40:
            break
        for p in range(n - 1):
            for q in range(p + 1, n):
                if a[p][q] == 0.0:
                    continue
                theta = (a[q][q] - a[p][p]) / (2 * a[p][q])
                t = (1.0 if theta >= 0 else -1.0) / (abs(theta) + math.sqrt(theta * theta + 1))
                c = 1 / math.sqrt(t * t + 1)
                s = t * c
                for k in range(n):
                    a[k][p], a[k][q] = c * a[k][p] - s * a[k][q], s * a[k][p] + c * a[k][q]
                for k in range(n):
                    a[p][k], a[q][k] = c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]
                a[p][q] = a[q][p] = 0.0  # exactly, lest rounding noise be rotated for ever
                for k in range(n):
                    v[k][p], v[k][q] = c * v[k][p] - s * v[k][q], s * v[k][p] + c * v[k][q]
    return [a[i][i] for i in range(n)], v


def inverse_root(a):
    """The symmetric inverse square root; generalised where an eigenvalue is zero."""
    values, vectors = eigen_symmetric(a)
    scaled = [1 / math.sqrt(x) if x > 1e-10 else 0.0 for x in values]
    return matmul([[x * s for x, s in zip(row, scaled)] for row in vectors], transpose(vectors))


def cr2(y, x, clusters, contrast):
    """Least squares of y on x; the contrast's estimate, CR2 error, Bell-McCaffrey df and t interval."""
    n = len(y)
    xt = transpose(x)
    bread = inverse(matmul(xt, x))
    beta = [row[0] for row in matmul(bread, matmul(xt, [[v] for v in y]))]
    residuals = [v - dot(row, beta) for v, row in zip(y, x)]
    estimate = dot(contrast, beta)

    hat = matmul(matmul(x, bread), xt)
    annihilator = [[(1.0 if i == j else 0.0) - hat[i][j] for j in range(n)] for i in range(n)]
    direction = [dot(row, contrast) for row in bread]

    members = {}
    for i, c in enumerate(clusters):
        members.setdefault(c, []).append(i)

    variance = 0.0
    images = []  # per cluster: (I - H), its columns of the cluster, times A_g X_g (X'X)^-1 contrast
    for c in sorted(members):
        own = members[c]
        adjust = inverse_root([[annihilator[i][j] for j in own] for i in own])
        weights = [dot(row, [dot(x[i], direction) for i in own]) for row in adjust]
        score = dot(weights, [residuals[i] for i in own])
        variance += score * score
        images.append([dot([annihilator[i][j] for j in own], weights) for i in range(n)])

    trace = squares = 0.0
    for left in images:
        trace += dot(left, left)
        products = [dot(left, right) for right in images]
        squares += dot(products, products)  # a row at a time, so that rounding does not pile up

    se = math.sqrt(variance)
    df = trace * trace / squares
    half = t_quantile(UPPER, df) * se
    return {
        "mean": estimate,
        "se": se,
        "df": df,
        "ci95": [estimate - half, estimate + half],
        "method": "t",
        "clusters": len(members),
        "n": n,
    }


def cr2_mean(y, clusters):
    return cr2(y, [[1.0] for _ in y], clusters, [1.0])


# -------------------------------------------------------------- the backtest


def backtest(path, seed, with_cases):
    rows = read_rows(path)
    memories = {s: memory(rows, s) for s in FAMILY}
    latest = max(FAMILY, key=lambda s: FAMILY[s])
    latest_cutoff = cutoff_instant(FAMILY[latest])

    cases = []
    for day, outcome, resolved in rows:
        if not FIRST_CASE <= day <= LAST_CASE:
            continue
        horizon = first_instant(day)
        visible = [r for r in rows if r[2] <= horizon]
        cases.append(
            {
                "id": f"rain-{day}",
                "cluster": week_of(day),
                "outcome": outcome,
                "routed_to": route(horizon),
                "inside": resolved <= latest_cutoff,
                "climatology": climatology(visible, day),
                "persistence": persistence(visible),
            }
        )

    def recall(case, snapshot):
        known = memories[snapshot].get(case["id"])
        if known is None:
            return case["climatology"]
        return 1.0 if known else 0.0

    inside = [c for c in cases if c["inside"]]
    outside = [c for c in cases if not c["inside"]]
    inside_counts = {s: sum(c["routed_to"] == s for c in inside) for s in FAMILY}
    controls = [s for s in sorted(FAMILY) if s != latest and inside_counts[s] > 0]

    for c in cases:
        c["arms"] = {"routed": recall(c, c["routed_to"]), "latest": recall(c, latest)}
        if not c["inside"]:
            for k in controls:
                c["arms"][f"control:{k}"] = recall(c, k)

    def score(case, arm):
        return brier(case["arms"][arm], case["outcome"])

    def headline(probability):
        values = [brier(probability(c), c["outcome"]) for c in cases]
        return {
            "n": len(values),
            "brier": mean(values),
            "headline": {"brier": bootstrap(values, [c["cluster"] for c in cases], seed, "headline.brier")},
        }

    arms = {}
    for arm in ["routed", "latest"] + [f"control:{k}" for k in controls]:
        values = [score(c, arm) for c in cases if arm in c["arms"]]
        arms[arm] = {"n": len(values), "brier": mean(values)}

    # The premium: Y_latest - Y_routed, and Y_latest - Y_k on the cases after latest's cutoff.
    def differences(selection, arm):
        return [score(c, "latest") - score(c, arm) for c in selection]

    def weeks(selection):
        return [c["cluster"] for c in selection]

    def premium(selection, figure):
        y, g = differences(selection, "routed"), weeks(selection)
        return {"n": len(y), "mean": mean(y), "bootstrap": bootstrap(y, g, seed, figure), "t": cr2_mean(y, g)}

    premium_inside = premium(inside, "premium.inside")
    share = {k: inside_counts[k] / len(inside) for k in controls}
    by_control = {k: differences(outside, f"control:{k}") for k in controls}
    placebo = 0.0
    for k in controls:
        placebo += share[k] * mean(by_control[k])

    y, g = differences(inside, "routed"), weeks(inside)
    x = [[1.0] + [0.0] * len(controls) for _ in inside]
    for i, k in enumerate(controls):
        y += by_control[k]
        g += weeks(outside)
        x += [[0.0] + [1.0 if j == i else 0.0 for j in range(len(controls))] for _ in outside]
    net = cr2(y, x, g, [1.0] + [-share[k] for k in controls])

    result = {
        "seed": seed,
        "n": len(cases),
        "events": sum(c["outcome"] for c in cases),
        "clusters": len(set(weeks(cases))),
        "counts": {
            "inside": len(inside),
            "placebo": len(outside),
            "routed": {s: sum(c["routed_to"] == s for c in cases) for s in FAMILY},
            "inside_routed": inside_counts,
        },
        "readers": {
            "climatology": headline(lambda c: c["climatology"]),
            "persistence": headline(lambda c: c["persistence"]),
            "recall:seattle-recall": {
                **headline(lambda c: c["arms"]["routed"]),
                "arms": arms,
                "premium": {
                    "all": premium(cases, "premium.all"),
                    "inside": premium_inside,
                    "placebo": {
                        "n": len(outside),
                        "mean": placebo,
                        "controls": {
                            f"control:{k}": {"n": len(by_control[k]), "mean": mean(by_control[k]), "weight": share[k]}
                            for k in controls
                        },
                    },
                    "net": {"n": len(y), "mean": premium_inside["mean"] - placebo, "t": net},
                },
            },
        },
    }
    if with_cases:
        result["cases"] = cases
    return result


def main():
    parser = argparse.ArgumentParser(description="Recompute the Seattle rain backtest from its CSV.")
    parser.add_argument("csv")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", action="store_true", help="also print each case's probabilities")
    options = parser.parse_args()
    print(json.dumps(backtest(options.csv, options.seed, options.cases), indent=1))


if __name__ == "__main__":
    main()
