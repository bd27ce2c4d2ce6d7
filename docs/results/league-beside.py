"""Optimisers of Python on the landscapes of `gamete league`, drawn by the same numbers. Needs numpy, cmaes and scikit-optimize.

    python3 league-beside.py FORM PARAMETERS PAIRS REPLICATES METHOD       FORM is quadratic or saturating, METHOD cmaes or skopt

Prints the Elo still lost at the recommended point: mean and standard error over replicates of seed 1. An evaluation is 8 pairs of games
against the start, as in Gamete.
"""
import math
import sys
import warnings

import numpy as np

MASK = (1 << 64) - 1
PAIRS_EACH = 8
BOUND = 6.0


class Rng:
    """SplitMix64, as in gamete-optim/src/rng.rs."""

    def __init__(self, state):
        self.state = state & MASK

    def next(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        x = self.state
        x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
        return x ^ (x >> 31)

    def below(self, bound):
        too_often = (-bound & MASK) % bound
        while True:
            product = self.next() * bound
            if product & MASK >= too_often:
                return product >> 64

    def uniform(self):
        return (self.next() >> 11) / (1 << 53)

    def normal(self):
        while True:
            x, y = 2 * self.uniform() - 1, 2 * self.uniform() - 1
            square = x * x + y * y
            if 0 < square < 1:
                return x * math.sqrt(-2 * math.log(square) / square)

    def fork(self, name):
        value = 0xCBF29CE484222325
        for byte in name.encode():
            value = ((value ^ byte) * 0x0100000001B3) & MASK
        return Rng(Rng(self.state ^ value).next())

    def shuffle(self, items):
        for last in range(len(items) - 1, 0, -1):
            other = self.below(last + 1)
            items[last], items[other] = items[other], items[last]


def landscape(form, d, rng):
    """gamete-lab/src/objective/function/landscape.rs"""
    k = [-math.log(1 - rng.uniform()) - math.log(1 - rng.uniform()) for _ in range(d)]
    places = list(range(d))
    rng.shuffle(places)
    for place in places[: d // 4]:
        k[place] = 0
    rows = np.zeros((d, d))
    for i in range(d):
        row = np.array([float(i == j) + 0.25 * rng.normal() for j in range(d)])
        for _ in range(2):
            for before in rows[:i]:
                row -= (row @ before) * before
            row /= np.linalg.norm(row)
        rows[i] = row
    optimum = []
    for _ in range(d):
        distance = 0.5 + 2.5 * rng.uniform()
        optimum.append(distance if rng.below(2) == 0 else -distance)
    optimum = np.array(optimum)
    hessian = rows.T @ np.diag(k) @ rows
    hessian *= 40 / (optimum @ hessian @ optimum)

    def elo(x):
        e = np.asarray(x) - optimum
        q = e @ hessian @ e
        if form == "quadratic":
            return -q
        return -60 * (1 - math.exp(-q * (1 + 0.5 * math.tanh(e.sum())) / 60))

    return elo


def main():
    form, d, pairs, replicates, method = sys.argv[1], *map(int, sys.argv[2:5]), sys.argv[5]
    lost, starts = [], []
    for r in range(replicates):
        elo = landscape(form, d, Rng(1).fork(f"replicate {r}").fork("landscape"))
        games = np.random.default_rng(7000 + r)
        start = elo(np.zeros(d))
        starts.append(-start)

        def evaluate(x):
            """Losses less wins against the start, divided by games."""
            win = min(max(1 / (1 + 10 ** (-(elo(x) - start) / 400)) - 0.275, 0), 1)
            luck = games.random(2 * PAIRS_EACH)
            return -(np.sum(luck < win) - np.sum(luck >= win + 0.55)) / (2 * PAIRS_EACH)

        trials = pairs // PAIRS_EACH
        if method == "cmaes":
            from cmaes import CMA

            es = CMA(mean=np.zeros(d), sigma=1.0, bounds=np.array([[-BOUND, BOUND]] * d), seed=r)
            for _ in range(trials // es.population_size):
                es.tell([(x, evaluate(x)) for x in (es.ask() for _ in range(es.population_size))])
            lost.append(-elo(es._mean))
        else:
            from skopt import gp_minimize
            from skopt.utils import expected_minimum

            warnings.filterwarnings("ignore")
            found = gp_minimize(evaluate, [(-BOUND, BOUND)] * d, n_calls=trials, x0=[[0.0] * d], random_state=r)
            lost.append(-elo(expected_minimum(found, random_state=r)[0]))
    error = np.std(lost, ddof=1) / math.sqrt(replicates)
    print(f"{method}, {form}, {d} parameters, {pairs} pairs: {np.mean(lost):.1f} ± {error:.1f} (start {np.mean(starts):.1f}): "
          + " ".join(f"{x:.1f}" for x in lost), flush=True)


main()
