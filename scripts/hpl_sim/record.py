# SPDX-License-Identifier: BSD-3-Clause
"""The model's rates from the record of a real run (docs/RECORD.md)."""
import json
import statistics


def products_rate(rank, shared):
    """By the time of the processor where a process had it at times only; what its polls
    did meanwhile counts, too."""
    if shared and all(r["thread_gflops"] for r in rank):
        return statistics.mean(1e9 * r["thread_gflops"] for r in rank)
    products = [1e9 * r["gflop"] / r["update"] for r in rank if r["update"] > 0]
    if not products:
        raise ValueError("no process computed products")
    return statistics.mean(products)


def rates(test, shared=False):
    """Of a process with all its threads. Shared: processes of one thread had turns on the
    same cores; what they took for panels was waiting for each other where P > 1."""
    n, nb, p, q = (float(test[name]) for name in ("n", "nb", "p", "q"))
    rank = test["ranks"]

    def mean(name):
        return statistics.mean(r[name] for r in rank)

    model = {
        # half of it is reached with k = 16
        "rate": products_rate(rank, shared) * (nb + 16) / nb
    }
    if mean("panel") > 0 and not (shared and p > 1):
        model["panel"] = n * n * nb / 2 / (p * q) / mean("panel")
    if mean("solve") > 0:
        model["solve"] = n * n * nb / 2 / q / mean("solve")
    if mean("swap") > 0:
        rows = 2.0 if p == 1 else 1.0 + 1.0 / p  # each read and written
        model["move"] = 16 * rows * n * n / 2 / q / mean("swap")
    return model


def spread(test):
    """How far processes differ, as a part of the mean."""
    rank = [r for r in test["ranks"] if r["update"] > 0]
    products = [r["gflop"] / r["update"] for r in rank]
    return (max(products) - min(products)) / statistics.mean(products) / 2


def largest_test(path):
    with open(path, encoding="utf-8") as file:
        record = json.load(file)
    tests = [t for t in record["tests"] if t.get("ranks")]
    if not tests:
        raise ValueError(f"{path} has no test with what its ranks did")
    return max(tests, key=lambda test: test["n"])
