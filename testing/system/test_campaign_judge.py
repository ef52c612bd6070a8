# SPDX-License-Identifier: BSD-3-Clause
"""The class of each host of a campaign, and which further runs settle it."""
import json
import re

import pytest

import campaign_sim
from campaign_sim import Simulated, World, classes, named
from hpl_campaign import campaign as campaign_of
from hpl_campaign import blame, compare, heat, judge, links, measures, retest, summary

pytestmark = pytest.mark.scripts
HOSTS = named(8)


def ended(hosts, outcome="ok", gflops=100.0, name=None, **more):
    """A run that ended, of hosts in one word."""
    hosts = hosts.split()
    stage = {1: "single", 2: "pairs"}.get(len(hosts), "groups")
    attempt = more.pop("attempt", 1)
    return {"run": name or f"{stage}-{attempt}-{'+'.join(hosts)}", "stage": stage,
            "hosts": hosts, "attempt": attempt, "n": 1000, "nb": 100, "p": 1,
            "q": len(hosts), "predicted": 10.0, "limit": 90.0, "outcome": outcome,
            "gflops": gflops if outcome == "ok" else None, "seconds": 9.0,
            "evidence": [], "record": None, **more}


def in_order(runs):
    """Runs with ids of their own."""
    return [{**run, "run": f"{run['run']}.{index}"} for index, run in enumerate(runs)]


def judged(hosts, *runs, inventory=None):
    return judge.judge(hosts, in_order(runs), inventory)


def wanted(hosts, *runs):
    """Stage and hosts of the further runs that are asked for."""
    return [(run.stage, " ".join(run.hosts)) for run in blame.further(hosts, in_order(runs))]


def simulated(repeats=3, settle=6, **faults):
    return Simulated(World(HOSTS, **faults), seed=3).single(repeats).pairs().settle(settle)


# ---- statistics ----------------------------------------------------------------------


def test_students_t_is_that_of_tables_and_a_centre_does_not_move():
    for df, t, chance in ((1, 1.0, 0.25), (1, 12.706, 0.025), (2, 4.3027, 0.025), (5, 2.015, 0.05),
                          (6, 5.2076, 0.001), (10, 2.2281, 0.025), (30, 3.3852, 0.001)):  # fmt: skip
        assert compare.tail(t, df) == pytest.approx(chance, rel=2e-4)
    assert compare.centre([1.0, 1.0, 1.0, 0.1]) == pytest.approx(1.0)
    assert compare.centre([3.0]) == 3.0 and compare.centre([3.0, 4.0]) == 3.5


GOOD = [(64, 20, 0.01, 0.005), (64, 20, 0.01, 0.01), (5, 200, 0.02, 0), (8, 200, 0.02, 0),
        (32, 40, 0.02, 0), (200, 8, 0.02, 0)]  # fmt: skip


@pytest.mark.few(1)
@pytest.mark.parametrize("hosts, campaigns, noise, spread", GOOD)
def test_good_hosts_are_hardly_ever_called_slow(hosts, campaigns, noise, spread):
    """Of hosts that are all equal, or differ a little by nature, over many campaigns."""
    found = campaign_sim.tally(hosts, campaigns, 0, noise=noise, spread=spread)
    assert found.blamed < 0.01 * found.good, found


def test_rows_of_a_matrix_are_found_though_partners_differ():
    share = dict(zip("abcdef", (0.0, 0.0, -2.0, 0.0, -1.0, 0.0)))
    pairs = [(one, other, 5 + share[one] + share[other])
             for one in share for other in share if one < other]
    rows = links.shares(pairs)
    for name, row in rows.items():
        assert compare.centre(row) == pytest.approx(share[name]), rows


@pytest.mark.few(1)
@pytest.mark.parametrize("hosts, campaigns, slow", ((100, 20, 4), (500, 12, 5)))
def test_a_host_that_is_five_percent_slow_is_found_in_noise_of_two(hosts, campaigns, slow):
    found = campaign_sim.tally(hosts, campaigns, slow, noise=0.02)
    assert found.found >= 0.95 * found.slow, found
    assert found.blamed < 0.01 * found.good, found


# ---- tortures ---------------------------------------------------------------------------


def executor(name="gpu:0", model="a GPU", gflops=60e3, kept=0.9, mhz=1700.0, celsius=70.0):
    return {"executor": name, "model": model, "serial": "", "gflops": gflops, "kept": kept,
            "mhz": mhz, "celsius": celsius, "watts": 690.0}


def tortured(nodes, outcome="ok"):
    """Reasons by tortures: {host: [executor]}"""
    runs = [{"run": f"torture-1-{host}", "stage": "torture", "hosts": [host],
             "outcome": outcome, "torture": found} for host, found in nodes.items()]
    return heat.reasons(runs)


OFF = [  # an executor, its class, what is said of it
    (executor(), None, ""),
    (executor(gflops=58e3, mhz=1500.0, kept=0.5), None, ""),  # within the margin
    (executor(gflops=45e3), "slow", "slow: gpu:0 (a GPU) ended its torture 25 % below the median"),
    (executor(gflops=45e3, mhz=1300.0), "hot", "throttled: gpu:0"),
    (executor(gflops=45e3, mhz=None, kept=0.7), "hot", "throttled: gpu:0"),
    (executor(gflops=45e3, kept=0.7, celsius=92.0), "hot", "and is hot; look at its cooling"),
    (executor(celsius=80.0), "ok", "hot: gpu:0 (a GPU) reached 80 C, 10 C more than the median"),
    (executor(celsius=79.0), None, ""),
    (executor(gflops=None, celsius=None), None, ""),
]


@pytest.mark.parametrize("odd, klass, said", OFF)
@pytest.mark.parametrize("others, certain", ((1, None), (3, False), (5, True)))
def test_an_executor_is_compared_with_those_of_its_model(odd, klass, said, others, certain):
    """On any node, and on its own one; two tell nothing, four nothing certain."""
    found = tortured({HOSTS[0]: [executor()] * (others - 1), HOSTS[1]: [executor(), odd],
                      HOSTS[2]: [executor(model="another", gflops=1.0)]}) if others > 1 else \
        tortured({HOSTS[0]: [executor()], HOSTS[1]: [odd]})
    if klass is None or certain is None:
        assert found == []
        return
    ((host, given, text, run, sure, detail),) = found
    assert (host, given, run) == (HOSTS[1], klass, f"torture-1-{HOSTS[1]}") and said in text
    assert sure == (certain and klass != "ok") and "median 70 C" in detail


def test_cores_may_have_had_other_work_and_failed_tortures_do_not_count():
    cores = {name: [executor("host", "a CPU", gflops=1e3, mhz=None)] for name in HOSTS}
    cores[HOSTS[4]] = [executor("host", "a CPU", gflops=500.0, mhz=None)]
    ((host, klass, text, _, certain, _),) = tortured(cores)
    assert (host, klass, certain) == (HOSTS[4], "slow", False) and "its cores (a CPU)" in text
    assert tortured(cores, "wrong") == []
    verdict = judge.judge(HOSTS, [
        *(ended(name) for name in HOSTS),
        *({**ended(name, name=f"torture-1-{name}"), "stage": "torture", "gflops": None,
           "torture": found} for name, found in cores.items())])[HOSTS[4]]
    assert verdict.klass == "slow" and not verdict.reasons[0]["certain"]


def test_the_record_of_a_torture_is_checked():
    reading = {"least": None, "most": 70.5, "end": 70}
    record = {"machine": {"processor": "a CPU", "devices": [
        {"executor": "cuda:0", "name": "a GPU", "serial": "12"}]},
        "torture": {"executors": [{
            "executor": name, "end_rate": 5e13, "kept": None, "temperature": reading,
            "clock": {"end": 1.7e9}, "power": {"end": 650.5}} for name in ("host", "cuda:0")]}}
    host, device = heat.of_record(json.dumps(record))
    assert host["model"] == "a CPU" and device == {
        "executor": "cuda:0", "model": "a GPU", "serial": "12", "gflops": 5e4, "kept": None,
        "mhz": 1700.0, "celsius": 70.5, "watts": 650.5}
    record["torture"]["executors"][1]["kept"] = "most"
    for text in ("", "{}", "[" * 99, json.dumps(record)):
        assert heat.of_record(text) is None


# ---- slow ------------------------------------------------------------------------------


def test_a_slow_host_is_named_with_the_numbers():
    found = simulated(noise=0.005, slow={HOSTS[3]: 0.8}).verdicts()
    assert classes(found) == {**dict.fromkeys(HOSTS, "ok"), HOSTS[3]: "slow"}
    why = found[HOSTS[3]].reasons[0]
    assert why["certain"] and why["class"] == "slow" and len(why["runs"]) >= 3
    assert why["text"].startswith("20 % below the median of 8 nodes of its kind; its link is good;")
    assert re.match(r"in 3 runs; good nodes differ by 0\.\d %; pairs with it are slow, too, but "
                    "bandwidth and latency are normal; by chance a good node looks this slow "
                    "less than once in 10,000 campaigns$", why["detail"])


def test_one_run_is_not_enough_to_be_certain_and_is_repeated():
    one = Simulated(World(HOSTS, noise=0.005, slow={HOSTS[3]: 0.8})).single(repeats=1)
    verdict = one.verdicts()[HOSTS[3]]
    assert verdict.klass == "slow" and not verdict.reasons[0]["certain"]
    asked = blame.further(one.hosts, one.ended)
    assert {run.hosts[0] for run in asked} == set(HOSTS)  # its peers as well
    assert {(run.stage, run.attempt) for run in asked} == {("single", 2)}
    assert one.settle().verdicts()[HOSTS[3]].reasons[0]["certain"]


@pytest.mark.parametrize("rates, changes, doubt", (
    ([100, 99, 101, 100, 100, 99, 101, 93], (0.9, 1.0, 1.1), ["which may be chance"]),
    ([100, 92, 108, 96, 104, 99, 101, 90], (1.0,) * 3, [])))  # as far as all others
def test_who_is_below_the_median_by_noise_or_as_others_is_ok(rates, changes, doubt):
    verdict = judged(HOSTS, *(
        ended(name, gflops=rate * changes[(k + i) % 3], attempt=k) for k in (1, 2, 3)
        for i, (name, rate) in enumerate(zip(HOSTS, rates))))[HOSTS[7]]
    assert verdict.klass == "ok" and len(verdict.reasons) == len(doubt)
    for why, said in zip(verdict.reasons, doubt):
        assert not why["certain"] and said in why["detail"]


def test_how_slow_is_slow_can_be_chosen():
    one = simulated(noise=0.001, slow={HOSTS[2]: 0.95})
    assert one.verdicts()[HOSTS[2]].klass == "slow"
    found = judge.judge(HOSTS, one.ended, slow=0.1)
    assert found[HOSTS[2]].klass == "ok"
    assert blame.further(HOSTS, one.ended, slow=0.2) == []


def test_a_run_that_was_too_late_counts_with_the_rate_it_had():
    runs = [ended(name, attempt=k, gflops=100 + i % 3) for k in (1, 2, 3)
            for i, name in enumerate(HOSTS)]
    late = [{**run, "outcome": "unknown", "gflops": 20.0} if run["hosts"] == [HOSTS[4]]
            else run for run in runs]
    assert judged(HOSTS, *late)[HOSTS[4]].klass == "slow"


@pytest.mark.parametrize("seconds, klass", ((9.0, "ok"), (20.0, "slow")))
def test_few_hosts_are_compared_with_the_prediction(seconds, klass):
    runs = [ended(name, seconds=seconds if name == HOSTS[1] else 9.0) for name in HOSTS[:3]]
    verdict = judged(HOSTS[:3], *runs)[HOSTS[1]]
    assert verdict.klass == klass
    if klass == "slow":
        assert ("of the predicted speed, the other 2 nodes of its kind at up to 111 %; look at "
                in verdict.reasons[0]["text"])
        assert not verdict.reasons[0]["certain"]


def of_few(part, seed=3, repeats=1, count=4, **faults):
    """So many hosts, of which the second has a part of the rate, to the end."""
    one = Simulated(World(named(count), noise=0.01, slow={HOSTS[1]: part}, **faults), seed)
    return one.single(repeats).pairs().settle()


def test_few_hosts_that_differ_little_are_all_ok_and_do_not_run_again():
    one = of_few(0.95)
    assert set(classes(one.verdicts()).values()) == {"ok"} and one.rounds == 0
    slow = of_few(0.8)
    assert classes(judge.judge(slow.hosts, slow.ended, slow=0.3))[HOSTS[1]] == "ok"


@pytest.mark.parametrize("count", (2, 3, 4))
@pytest.mark.parametrize("part", (0.7, 0.8, 0.86))
def test_who_is_clearly_below_few_others_is_undecided(count, part):
    """It was repeated, as all were, and is no good host to compare with."""
    one = of_few(part, count=count)
    verdicts = one.verdicts()
    assert classes(verdicts) == {**dict.fromkeys(named(count), "ok"), HOSTS[1]: "slow"}
    why, = verdicts[HOSTS[1]].reasons
    assert not why["certain"] and len(why["runs"]) == compare.SURE
    assert re.match(r"\d+ % below n000\d, the fastest of \d nodes of its kind; ", why["text"])
    assert why["detail"].startswith("in 3 runs; too few nodes of its kind to be certain")
    found = summary.build(one)
    assert found["drain"] == [] and [x["host"] for x in found["open"]] == [HOSTS[1]]
    assert HOSTS[1] not in retest.good_nodes(found, [HOSTS[0]])


def test_one_disturbed_run_of_few_hosts_is_repeated_and_cleared():
    names = named(4)
    runs = [ended(name, gflops=80.0 if name == HOSTS[1] else 100.0) for name in names]
    assert wanted(names, *runs) == [("single", HOSTS[1]), ("single", HOSTS[0]),
                                    ("single", HOSTS[2]), ("single", HOSTS[3])]
    more = [ended(name, attempt=k) for k in (2, 3) for name in names]
    assert wanted(names, *runs, *more) == []
    assert judged(names, *runs, *more)[HOSTS[1]].klass == "ok"


@pytest.mark.parametrize("pairs, look, normal", (
    (dict(gflops=160.0, bandwidth=1e10, latency=1e-6), "its link is good; look at its clock, DIMMs",
     "; pairs with it are slow, too, but bandwidth and latency are normal"),
    (dict(gflops=200.0, bandwidth=1e10, latency=1e-6), "its link is good; look at its clock, DIMMs",
     "; pairs with it are not slow"),
    (dict(gflops=160.0, bandwidth=5e9, latency=1e-6),
     "and other programs, then at its link", "; its pairs have bad bandwidth, too"),
    (None, "look at its clock, DIMMs, cooling and other programs", "")))
def test_a_slow_host_is_said_to_be_normal_or_slow_in_pairs(pairs, look, normal):
    names = named(4)
    runs = [ended(name, gflops=80.0 if name == HOSTS[1] else 100.0, attempt=k)
            for k in (1, 2, 3) for name in names]
    usual = dict(gflops=200.0, bandwidth=1e10, latency=1e-6)
    if pairs:
        runs += [ended(f"{HOSTS[0]} {HOSTS[1]}", **pairs),
                 ended(f"{HOSTS[1]} {HOSTS[2]}", **pairs),
                 ended(f"{HOSTS[2]} {HOSTS[3]}", **usual),
                 ended(f"{HOSTS[0]} {HOSTS[3]}", **usual)]
    why, = judged(names, *runs)[HOSTS[1]].reasons
    assert look in why["text"] and why["detail"].endswith(f"to be certain{normal}")


def test_kinds_of_hosts_are_judged_apart():
    """Six hosts of an old kind are half as fast as six others, and none is slow."""
    names = named(12)
    old = dict.fromkeys(names[:6], 0.5)
    one = Simulated(World(names, noise=0.003, slow={**old, names[8]: 0.8}))
    for name in names[:6]:
        one.inventory[name]["facts"]["processor"] = "Simulated 32-core"
    of = classes(one.single().settle().verdicts())
    assert [name for name in of if of[name] != "ok"] == [names[8]]
    assert one.verdicts()[names[0]].differences == []


def test_a_lost_gpu_makes_no_kind_but_another_model_does():
    facts = {"processor": "x", "gpus": "4 x 10de:2330 32.0 GT/s x16"}
    assert measures.kind_of(facts) == measures.kind_of(
        {**facts, "gpus": "3 x 10de:2330 32.0 GT/s x8"})
    assert measures.kind_of(facts) != measures.kind_of({"processor": "x"})


def test_slow_nodes_and_links_are_told_apart():
    """The partners of a bad link are not to blame, nor is who is slow alone for its pairs."""
    one = simulated(noise=0.005, slow={HOSTS[3]: 0.8}, link={HOSTS[6]: 0.3})
    found = one.verdicts()
    assert classes(found) == {**dict.fromkeys(HOSTS, "ok"), HOSTS[3]: "slow", HOSTS[6]: "slow"}
    (why,) = found[HOSTS[3]].reasons
    assert why["text"].startswith("20 %") and "bandwidth and latency are normal" in why["detail"]
    texts = [why["text"] for why in found[HOSTS[6]].reasons]
    assert any(x.startswith("bandwidth to other nodes 70 % below the median; ") for x in texts), texts
    assert any(x.startswith("latency to other nodes 3.") for x in texts), texts
    for why in found[HOSTS[6]].reasons:
        assert why["text"].endswith("; look at its cable, port and switch")
        assert why["detail"].startswith("in pairs with n000")
        assert "; alone the node is as fast as others; by chance" in why["detail"]
    runs = [{**run, "mhz": {run["hosts"][0]: 1900 if run["hosts"][0] == HOSTS[3] else 2600}}
            for run in one.ended]  # its clock is low
    verdict = judge.judge(HOSTS, runs)[HOSTS[3]]
    assert verdict.klass == "hot"
    assert "1900 MHz, the median of its kind is 2600 MHz" in verdict.reasons[0]["text"]


@pytest.mark.parametrize("speed, pairs", ((1.0, True), (0.5, False)))
def test_the_link_of_a_host_that_is_slow_alone_is_not_tried_again(speed, pairs):
    names = named(8)
    one = Simulated(World(names, noise=0.001, slow={names[2]: speed}, link={names[2]: 0.93}))
    one.single().pairs()
    asked = blame.further(one.hosts, one.ended, one.inventory)
    assert any(names[2] in run.hosts for run in asked if run.stage == "pairs") == pairs


# ---- failures ------------------------------------------------------------------------


def test_who_fails_alone_is_tried_again_unless_the_result_was_wrong_and_to_blame():
    for outcome in blame.FAILED:
        found = judged(["a", "b"], ended("a", outcome), ended("b"))
        assert (found["a"].klass, found["b"].klass) == (outcome, "ok")
        assert found["a"].reasons[0]["certain"]
    assert wanted(["a"], ended("a", "died")) == [("single", "a")]
    assert wanted(["a"], ended("a", "died"), ended("a")) == [("single", "a")]
    assert wanted(["a"], ended("a", "died"), ended("a", "died")) == []
    assert wanted(["a"], ended("a", "wrong")) == []
    runs = ended("a", "died"), ended("a"), ended("a")  # once and not again
    verdict = judged(["a"], *runs)["a"]
    assert verdict.klass == "died" and not verdict.reasons[0]["certain"]
    assert "and not again" in verdict.reasons[0]["text"] and wanted(["a"], *runs) == []


ALONE = [ended(name) for name in "abcd"]


def test_a_pair_that_fails_makes_neither_bad_and_both_are_tried_alone():
    runs = [*ALONE, ended("a b", "died")]
    found = judged("abcd", *runs)
    assert [found[x].klass for x in "abcd"] == ["unknown", "unknown", "ok", "ok"]
    assert "nobody knows" in found["a"].reasons[0]["text"]
    assert not found["a"].reasons[0]["certain"]
    assert wanted("abcd", *runs) == [("single", "a"), ("single", "b")]


def test_open_runs_of_which_the_same_is_to_be_said_are_one_reason():
    runs = [*ALONE, *map(ended, "efghijkl"), *(ended(f"a {x}", "died") for x in "bcdefhijkl"),
            ended("a g", "hung")]
    died, hung = judged("abcdefghijkl", *runs)["a"].reasons
    assert died["text"] == ("died in 10 runs with b, c, d, e, f, h, i, j and 2 more, "
                            "and nobody knows whose fault it was")
    assert len(died["runs"]) == 10
    assert hung["text"] == "hung with g, and nobody knows whose fault it was"
    assert len(judged("abcdefghijkl", *runs)["b"].reasons) == 1


def test_who_met_another_of_its_kind_is_to_blame_by_its_other_runs():
    runs = [*ALONE, *map(ended, "ef"), ended("a b", "died"), ended("c d"), ended("e f"),
            ended("a c", "died"), ended("b d", "died"), ended("a e", "died"),
            ended("b f", "died")]
    found = judged("abcdef", *runs)
    assert [found[x].klass for x in "abcdef"] == ["died"] * 2 + ["ok"] * 4
    assert found["a"].reasons[0]["text"].startswith("with c and e, which are good")
    assert len(found["a"].reasons) == len(found["b"].reasons) == 1


def test_two_that_fail_only_together_stay_open():
    good = [*ALONE, ended("a b", "died"), ended("a"), ended("b"), ended("a c"), ended("b d")]
    assert wanted("abcd", *good) == [("pairs", "a b")]
    found = judged("abcd", *good, ended("a b", "died"))
    assert found["a"].klass == found["b"].klass == "unknown"
    assert "the link between them" in found["a"].reasons[0]["text"]
    found = judged("abcd", *good, ended("a b"))
    assert found["a"].klass == "ok" and "not again" in found["a"].reasons[0]["text"]
    assert wanted("abcd", *good, ended("a b")) == []


@pytest.mark.parametrize("count, bad, pairs, whole", (
    (64, {37: "died"}, False, True),  # found by halves
    (16, {2: "hung", 9: "died"}, True, False), (16, {6: "hung", 7: "died"}, True, False),
    (16, {6: "hung", 7: "died"}, True, True), (16, {0: "hung", 15: "died"}, True, True)))
def test_hosts_that_fail_with_others_are_all_found(count, bad, pairs, whole):
    """Also where they failed together."""
    names = named(count)
    bad = {names[i]: outcome for i, outcome in bad.items()}
    one = Simulated(World(names, noise=0.002, company=bad)).single()
    if pairs:
        one.pairs()
    if whole:
        one.all()
    assert classes(one.settle(20).verdicts()) == {**dict.fromkeys(names, "ok"), **bad}
    like = ended("a b c d", n=4000, nb=100, p=2, q=4)  # a smaller run has as much on a host
    assert (blame.scaled(like, 1), blame.scaled(like, 2)) == ((2000, 1, 2), (2800, 2, 2))


def test_further_runs_have_ids_of_their_own_and_no_host_in_common():
    one = Simulated(World(HOSTS, noise=0.02, slow={HOSTS[0]: 0.95},
                          company={HOSTS[5]: "died"}), seed=5).single(1).pairs()
    for _ in range(6):
        asked = blame.further(one.hosts, one.ended)
        hosts = [host for run in asked for host in run.hosts]
        assert len(hosts) == len(set(hosts))
        assert not {run.id for run in asked} & {run["run"] for run in one.ended}
        for run in asked:
            one.end(run)


# ---- inventory -----------------------------------------------------------------------------


def facts(**changed):
    """Of HOSTS, of which those named by number have other facts."""
    return {name: {"facts": {"processor": "x", "kernel": "6.1", **changed.get(
        f"n{i}", {})}, "error": None} for i, name in enumerate(HOSTS)}


def test_a_host_that_differs_is_ok_and_named_with_the_difference():
    found = judged(HOSTS, *map(ended, HOSTS), inventory=facts(n3={"kernel": "5.4"}))
    assert found[HOSTS[3]].differences == ["kernel is 5.4, elsewhere 6.1"]
    assert found[HOSTS[3]].klass == "ok"
    assert [name for name in HOSTS if found[name].differences] == [HOSTS[3]]


def test_who_does_not_answer_and_never_ran_has_not_started():
    silent = facts()
    silent[HOSTS[1]] = {"facts": {}, "error": "no route to host"}
    runs = [ended(name) for name in HOSTS if name != HOSTS[1]]
    verdict = judged(HOSTS, *runs, inventory=silent)[HOSTS[1]]
    assert verdict.klass == "not started" and verdict.reasons[0]["certain"]
    assert "no route to host" in verdict.reasons[0]["text"]
    ran = judged(HOSTS, *map(ended, HOSTS), inventory=silent)[HOSTS[1]]
    assert ran.klass == "ok"


def test_a_node_that_slurm_gave_to_others_is_not_to_blame():
    busy = "srun: error: Unable to allocate resources: Requested nodes are busy"
    found = judged(["a"], inventory={"a": {"facts": {}, "error": busy}})["a"]
    assert found.klass == "unknown" and found.klass not in campaign_of.UNFIT
    assert [x["certain"] for x in found.reasons] == [False]
    inventory = {"a": {"facts": {}, "error": busy}}
    assert judged(["a"], ended("a"), inventory=inventory)["a"].klass == "ok"
