# SPDX-License-Identifier: BSD-3-Clause
"""What xhpl-campaign decides without running anything: hosts, which runs there are, how
they ended."""
import random
import shlex
import types

import pytest

import jobs
from hpl_campaign import hosts, launch, outcome, planning, slurm, stages, weights
from hpl_campaign.run import Host, Run

pytestmark = pytest.mark.scripts


# ---- hosts, and which runs there are -------------------------------------------------


def test_lists_of_hosts_are_expanded():
    assert hosts.expand("n[08-10,3],gpu3") == ["n08", "n09", "n10", "n3", "gpu3"]
    assert hosts.expand("r[1-2]n[1-2]") == ["r1n1", "r1n2", "r2n1", "r2n2"]
    assert hosts.hostfile("# all\nn1 slots=4\n\nn[2-3]\n") == ["n1", "n2", "n3"]
    assert hosts.hostfile("n01:8\nn[2-3]:4 # two\nn4 slots=2\nfe80::1:8\n") == [
        "n01", "n2", "n3", "n4", "fe80::1:8"]  # of Hydra
    assert hosts.racks("a: n[1-2]\nb: n3") == {"n1": "a", "n2": "a", "n3": "b"}
    assert hosts.together(["n2", "n1", "n2"], {"n1": "a"}) == [Host("n2"), Host("n1", "a")]
    for text in "n[1-", "n[a]", "n[3-1]", "n 1", "n]1[":
        with pytest.raises(hosts.BadHosts):
            hosts.expand(text)


def test_in_a_tournament_no_pair_meets_twice():
    for count in range(2, 34):
        rounds = stages.tournament(list(range(count)), count)
        met = [frozenset(pair) for found in rounds for pair in found]
        assert len(met) == len(set(met)) == count * (count - 1) // 2
        usual = stages.tournament(list(range(count)))
        for found in rounds + usual:
            assert len({host for pair in found for host in pair}) == 2 * len(found)
        assert len(usual) == max(1, (count - 1).bit_length())


OPEN_MPI, HYDRA = "mpirun (Open MPI) 4.1.4", "HYDRA build details:"


@pytest.mark.parametrize("version, options, in_file", (
    (OPEN_MPI, "--host n1:2,n2:2 --map-by ppr:2:node -x HPL_CAMPAIGN_RUN "
     "-x HPL_CAMPAIGN_HOSTS --mca plm_rsh_agent 'ssh -v'", ("--hostfile", "node00007 slots=2\n")),
    (HYDRA, "-hosts n1:2,n2:2 -launcher ssh -launcher-exec ssh", ("-f", "node00007:2\n"))))
def test_mpirun_is_told_the_hosts_in_its_dialect_very_many_in_a_file(
        tmp_path, version, options, in_file):
    mpirun = jobs.program(tmp_path / "mpirun", f"echo '{version}'\n")
    given = types.SimpleNamespace(ssh="ssh -v", mpirun=str(mpirun), slots=None)
    run = types.SimpleNamespace(p=2, q=2, hosts=["n1", "n2"])
    line = shlex.join(launch.Ssh(given).command(run, ["xhpl"], "/f"))
    assert line.endswith(f"{mpirun} {options} -np 4 -bind-to numa -wdir /f xhpl")
    assert ("EXTRA_ARGS=-v" in line) == (version == HYDRA)
    names = [f"node{i:05d}" for i in range(15000)]
    run = types.SimpleNamespace(p=150, q=200, hosts=names)
    words = launch.Ssh(given).command(run, ["xhpl"], str(tmp_path))
    assert max(map(len, words)) < 4096
    with open(words[words.index(in_file[0]) + 1]) as file:
        lines = file.readlines()
    assert len(lines) == 15000 and lines[7] == in_file[1]
    name, path = slurm.on_nodes(names, str(tmp_path)).split("=")
    assert name == "--nodefile"
    with open(path) as file:
        assert file.read().split() == names


SIZE = stages.Sizing(n=50000, rate=2e12, nb=192, half=2000.0)


@pytest.mark.parametrize("count", [1, 2, 6, 7, 64])
def test_a_run_takes_the_seconds_it_may_and_no_more_memory(count):
    planner = stages.Planner(SIZE)
    names = [f"n{i}" for i in range(count)]
    short = planner.run("single", names, 10.0)
    full = planner.run("single", names, None)
    for run in short, full:
        assert run.p * run.q == count and run.p <= run.q
        assert run.n % (run.nb * run.q) == 0
        assert run.n**2 <= SIZE.n**2 * count
        assert run.limit >= 3 * stages.whole(run)
    assert 5.0 < short.predicted <= 10.0 < full.predicted


def test_a_plan_of_two_rows_gives_the_rate_of_every_order():
    rate = SIZE.rate * (1 + SIZE.half / SIZE.n)
    found = stages.sizing([(10000, 192, rate / 1.2), (50000, 192, rate / 1.04)])
    assert abs(found.half - 2000.0) < 1e-6
    assert abs(stages.rate(found, 1, 10000, 1.0) / (rate / 1.2) - 1) < 1e-9


def test_groups_are_racks_then_across_them_then_halves():
    names = [f"n{i}" for i in range(1, 9)]
    racks = {name: "ab"[i // 4] for i, name in enumerate(names)}
    first, second = stages.groups(stages.Planner(SIZE), names, 10.0, racks)
    assert [(run.id, run.hosts) for run in first] == [
        ("groups-1-a", tuple(names[:4])), ("groups-1-b", tuple(names[4:]))]
    # The halves are the racks: they do not run again.
    assert [set(run.hosts) for run in second] == [
        {"n1", "n3", "n5", "n7"}, {"n2", "n4", "n6", "n8"}]


def test_hosts_are_left_out_only_if_the_others_are_faster_without():
    names = [f"n{i}" for i in range(10)]
    alike = dict.fromkeys(names, 100.0)
    assert stages.leave_out(names, alike).left_out == []
    assert stages.leave_out(names, {**alike, "n3": 95.0}).left_out == []
    found = stages.leave_out(names, {**alike, "n3": 80.0})
    assert found.left_out == ["n3"] and abs(found.gain - 0.125) < 1e-9
    assert "n3" not in found.hosts and len(found.hosts) == 9


NAMES = [f"n{i}" for i in range(16)]
ALIKE = {name: 100.0 + i % 3 for i, name in enumerate(NAMES)}


def test_a_column_goes_at_the_speed_of_its_slowest_host():
    """On 4 x 4 one host at half speed takes three with it, four take nobody."""
    one = weights.best(NAMES, {**ALIKE, "n2": 50.0}, 1, 0.03)
    assert list(one.weights)[-1] == "n2" and set(list(one.weights.values())[:15]) == {1.0}
    assert 1350 < one.rate < 1400
    four = weights.best(NAMES, {**ALIKE, **dict.fromkeys(NAMES[:4], 50.0)}, 1, 0.03)
    assert abs(four.rate - one.rate) < 1e-6
    # The slow column holds half of what the others do.
    assert abs(four.room - 3.5 / 4) < 0.01
    rates = {**ALIKE, "n2": 10.0, **dict.fromkeys(NAMES[8:], 50.0)}
    assert "n2" in weights.best(NAMES, rates, 1, 0.03).weights
    found = weights.best(NAMES, rates, 1, 0.03, leave_out=True)  # as others are faster without
    assert "n2" not in found.weights and len(found.weights) == 15


def test_no_share_is_faster_than_all_hosts_together():
    draw = random.Random(3)
    for _ in range(200):
        rates = {name: draw.choice((1, 1, 1, 0.9, 0.5)) * draw.gauss(100, 1)
                 for name in NAMES[:draw.randrange(2, 17)]}
        ranks = draw.choice((1, 2))
        found = weights.best(list(rates), rates, ranks, 0.03)
        if found:
            assert found.rate <= sum(rates.values()) * (1 + 1e-9)
            assert set(found.weights) == set(rates) and 0 < found.room <= 1


@pytest.mark.parametrize("told, names", (
    (("c1.site", "c2.site"), {"a": "c1", "b": "c2"}),
    (("c1", "c1"), None), (("17", "18"), None), (("c1", None), None),
))  # fmt: skip
def test_rates_go_by_the_names_that_xhpl_sees(told, names):
    inventory = {host: {"facts": {"host": name} if name else {}}
                 for host, name in zip("ab", told)}
    assert weights.names("ab", inventory) == names


def test_runs_that_share_a_host_are_not_in_one_round():
    runs = [Run(name, "pairs", tuple(name), 1, 1, 1, 1, 2, 1.0, 1.0)
            for name in ("ab", "bc", "cd", "da")]
    rounds = stages.disjoint(runs)
    assert [[run.id for run in found] for found in rounds] == [["ab", "cd"], ["bc", "da"]]


# ---- how a run ended -----------------------------------------------------------------

TABLE = "HPLinpack 2.3\nWR21R2C8   4000   192     1     1     0.21     2.0369e+02\n"
CHECK = "||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)=   2.1e-03 ...... "
WAITING = "xhpl: warning: no progress for 6 s: all wait for rank 1 on n2, which is gone\n"
HALF = "xhpl: progress: 52.0% done, 900 columns, 0:01 left, 90 Gflops, mean 88.5\n"


@pytest.mark.parametrize("status, by, report, log, expected", [
    (0, None, TABLE + CHECK + "PASSED\n", "", "ok"),
    (139, None, TABLE + CHECK + "PASSED\n", "", "died"),
    (-15, outcome.LATE, TABLE + CHECK + "PASSED\n", "", "ok"),
    (1, None, TABLE + CHECK + "FAILED\n", "", "wrong"),
    (-11, None, "", HALF, "died"),
    (3, None, "", "xhpl: error: rank 0 on n1: no\n", "died"),
    (3, None, "", "xhpl: error: rank 0 on n1: trust: wrong result of device cuda:3: ...\n", "wrong"),
    (1, None, "", "xhpl: error: rank 0 on n1: iterations 0 to 17: a row of the matrix is wrong, "
     "row 9\n", "wrong"),
    (0, None, TABLE + CHECK + "PASSED\n", "xhpl: error: rank 0 on n1: iteration 4: a received "
     "panel is wrong, from rank 1\n", "wrong"),
    (3, None, "", HALF + WAITING, "hung"),
    (3, None, "", WAITING + "xhpl: warning: the job makes progress again, after 9 s\n", "died"),
    (2, None, "", "xhpl: error: N needs 9 GiB\n", "not started"),
    (255, None, "", "ssh: connect to host n1: No route to host\n", "not started"),
    (-9, outcome.SILENT, "", HALF, "hung"),
    (-9, outcome.SILENT, "", "", "not started"),
    (-15, outcome.LATE, "", HALF, "unknown"),
    (-15, outcome.HOT, "", HALF, "hot"),
    (0, None, "", "", "unknown"),
    (0, None, "verified: 330 products, 0 wrong\n", "", "ok"),
    (1, None, "verified: 330 products, 2 wrong\n", "", "wrong"),
])  # fmt: skip
def test_how_a_run_ended(status, by, report, log, expected):
    found = outcome.classify(outcome.Ended(status, by, report, log, by and "a remark"))
    assert found.outcome == expected
    assert (found.outcome == "ok") <= (found.evidence == [] or by is not None)
    if report.startswith(TABLE):
        assert (found.seconds, found.gflops) == (0.21, 203.69)


def test_what_a_run_wrote_tells_how_far_it_came_and_of_its_link():
    found = outcome.classify(outcome.Ended(-15, outcome.LATE, "", HALF, "late"))
    assert found.gflops == 88.5  # the rate so far
    assert found.evidence[0] == "late" and "52% was done" in found.evidence[1]
    still = "xhpl: warning: rank 0 on n1: no progress for 30 s, iteration 3 of 9\n"
    assert not outcome.is_life(still) and not outcome.is_life("\n")
    assert outcome.is_life(HALF + still)
    for record, link in (
            ('"latency_seconds": 1.5e-06,\n "bandwidth": 12000000000.0', (1.5e-6, 1.2e10)),
            ('"latency_seconds": 0.03,\n "bandwidth": 2.1e15', (None, None)),
            ("{}", (None, None))):  # fmt: skip
        assert outcome.link(record) == link


def test_a_given_rate_has_the_panels_of_its_kind():
    for rate, memory, words, nb in (
            (40000, "100G", "--set devices=cuda", 1024), (40000, "20G", "", 512),
            (100, "64G", "", 192), (100, "64G", "--set devices=none", 192),
            (500, "64G", "--set devices=hip --depth 1", 1024),
            (40000, "64G", "--set devices=none", 192)):  # fmt: skip
        sizing = planning.given(rate, memory, None, 1, words)
        assert sizing.nb == nb and sizing.n % nb == 0
