# SPDX-License-Identifier: BSD-3-Clause
"""A second test of nodes of a campaign: beside which ones, and what follows from it."""
import json
import os
import signal
import sys
import types
from pathlib import Path

import pytest

import cluster_slurm
import faults
import jobs
from busy import retried
from cluster_net import classes, clusters, result
from campaign_sim import FACTS, Simulated, World, named
from campaign_site import ALONE, CAMPAIGN, SCHEMA, site, wait_for
from hpl_campaign import reservation, retest, slurm, summary
from hpl_report.foreign import Refused

pytestmark = pytest.mark.scripts
HOSTS = named(16)


def again(site, *options, hosts="n2", **told):
    return jobs.run([sys.executable, CAMPAIGN, "retest", "-C", site.folder / "c", "--hosts",
                     hosts, *options], site.folder, site.env(**told))


def last(done):
    """What is said of the last node."""
    return done.stdout.splitlines()[-2]


def left(done):
    return done.stdout.splitlines()[-1]


# ---- campaigns -----------------------------------------------------------------------


def test_nodes_are_tested_beside_good_ones_until_they_are_repaired(site):
    """An interrupted test goes on in its folder, and the campaign knows what tests found, so
    that report --yes drains no repaired node."""
    off = ("--drain-command", "touch drained-{host}")
    assert site.run(*ALONE, *off, told={"n2": 0.5, "n3": "die"}).status == 1
    done = again(site, hosts="n2,n3", n2=0.5)  # n3 is repaired
    assert done.status == 1 and "n2 is not ok, so drain it by the command above." in done.stdout
    assert "n3 is ok. If it was drained, put it back into service" in done.stdout, str(done)
    assert left(done) == ("all nodes of the campaign: Drain 1 of 8 nodes "
                          f"({site.folder}/c/campaign.html)")
    assert "touch drained-n2" in done.stdout and not list(site.folder.glob("drained-*"))
    name = "c/retest-1-n2+n3"
    found = site.result(name)
    assert [host["name"] for host in found["hosts"]] == ["n2", "n3", "n1", "n4", "n5", "n6", "n7"]
    assert found["options"]["retest"] == ["n2", "n3"] and found["options"]["rate"] == 100.0
    assert found["options"]["stages"] == ["inventory", "single", "pairs"]
    assert found["options"]["repeats"] == 3
    page = (site.folder / name / "campaign.html").read_text()
    assert f"retest -C {site.folder}/c --hosts n2" in page and "Beside earlier" in page
    row = {host["name"]: host for host in site.result()["hosts"]}
    assert [row[host]["retest"] for host in ("n1", "n2", "n3")] == [None, *["retest-1-n2+n3"] * 2]
    assert row["n2"]["reasons"][0]["runs"][0].startswith("retest-1-n2+n3/single-")
    assert [entry["host"] for entry in site.result()["drain"]] == ["n2"]

    (site.folder / name / "campaign.json").unlink()  # as before its end
    ended = site.ended(name)
    assert "n2 is not ok" in again(site, hosts="n2,n3").stdout
    assert site.ended(name) == ended and (site.folder / name / "campaign.json").exists()

    done = again(site, "--yes", n2=0.5)
    assert last(done) == "n2 is not ok, and is drained. Repair it, then type the same command " \
        f"again. If no defect is found, give the vendor {site.folder}/c/retest-1-n2", str(done)
    assert (site.folder / "drained-n2").exists()
    (site.folder / "drained-n2").unlink()
    done = again(site).succeeded()
    assert left(done).startswith("all nodes of the campaign: All 8 nodes are ok (")
    assert sorted(path.name for path in (site.folder / "c").glob("retest-*")) == [
        "retest-1-n2", "retest-1-n2+n3", "retest-2-n2"]
    assert set(site.classes().values()) == {"ok"}
    report = [sys.executable, CAMPAIGN, "report", "-C", "c"]
    done = jobs.run([*report, "--yes"], site.folder).succeeded()
    assert not list(site.folder.glob("drained-*")) and "All 8 nodes" in done.stdout
    path = site.folder / "c/retest-2-n2/campaign.json"
    test = json.loads(path.read_text())
    for broken in ({**test, "started": "2000-01-01T00:00:00Z"}, {}):  # it ran since; damaged
        path.write_text(json.dumps(broken))
        jobs.run(report, site.folder)
        assert site.classes()["n2"] == "slow"


def test_what_cannot_be_tested_is_refused(site):
    site.run(*ALONE, hosts="n1")
    for name, hosts, said in (("c", "n9", "n9 is no node of"), ("none", "n1", "none has no campaign"),
                              ("c", "", "name the nodes to test by --hosts")):  # fmt: skip
        jobs.run([sys.executable, CAMPAIGN, "retest", "-C", name, "--hosts", hosts],
                 site.folder).refused(said)


def test_an_undecided_node_of_few_is_decided_by_a_second_test():
    def tested(**campaign):
        one = Simulated(World(named(4), noise=0.005, slow={HOSTS[1]: 0.7}), seed=4)
        one.campaign["options"] = campaign
        return summary.build(one.single().settle())

    def names(entries):
        return [entry["host"] for entry in entries]

    first, second = tested(), tested(retest=[HOSTS[1]])
    assert (names(first["drain"]), names(first["open"])) == ([], [HOSTS[1]])
    assert (names(second["drain"]), names(second["open"])) == ([HOSTS[1]], [])
    other = tested(retest=[HOSTS[0]])  # a good node that only served to compare
    assert (names(other["drain"]), names(other["open"])) == ([], [HOSTS[1]])
    SCHEMA.validate(second)


def test_who_did_not_run_is_neither_good_nor_bad(capsys):
    one = Simulated(World(HOSTS[:6]))
    one.campaign["options"] = {"retest": [HOSTS[0]]}
    one.world = one.world._replace(hosts=HOSTS[1:6])
    one.inventory[HOSTS[0]] = {"facts": {}, "error": "srun: waiting for resources"}
    found = summary.build(one.single())
    assert found["drain"] == [] and found["open"][0]["host"] == HOSTS[0]
    given = types.SimpleNamespace(launcher="ssh", directory="/c", drain_command="off {host}")
    retest.Retest(found, HOSTS[:1], given).conclude(found, [])
    assert capsys.readouterr().out == (
        f"\n{HOSTS[0]} was not tested, and is as before. The lines above say why: end that, "
        "then type the same command again\n")


# ---- beside which nodes, and for how long --------------------------------------------


@pytest.fixture(scope="module")
def campaign():
    """Two kinds of nodes, one slow node of each."""
    one = Simulated(World(HOSTS, noise=0.005, slow={
        HOSTS[1]: 0.8, **dict.fromkeys(HOSTS[10:], 0.5), HOSTS[12]: 0.4}))
    for name in HOSTS[10:]:
        one.inventory[name]["facts"] = {**FACTS, "processor": "another"}
    return summary.build(one.single().pairs().settle())


def test_good_nodes_are_of_the_same_kind_and_idle_if_possible(campaign):
    good = retest.good_nodes(campaign, [HOSTS[1]])
    assert good == [HOSTS[i] for i in (0, 2, 3, 4, 5)]
    assert retest.good_nodes(campaign, [HOSTS[1]], HOSTS[8:]) == [
        HOSTS[i] for i in (0, 2, 3, 8, 9)]
    assert retest.good_nodes(campaign, [HOSTS[12]]) == [HOSTS[i] for i in (10, 11, 13, 14, 15)]
    both = retest.good_nodes(campaign, [HOSTS[1], HOSTS[12]])
    assert both == [HOSTS[i] for i in (0, 2, 3, 4, 5, 10, 11, 13, 14, 15)]


def test_a_test_takes_three_runs_alone_and_three_rounds_of_pairs(campaign):
    assert retest.seconds(campaign) == pytest.approx(6 * 60.0)
    assert retest.seconds({"runs": []}) == 0


# ---- Slurm ---------------------------------------------------------------------------


def reserved(monkeypatch, nodes=(), gone=(), command="scontrol update", given=None):
    monkeypatch.setattr(slurm, "names", lambda reservation: list(nodes))
    monkeypatch.setattr(slurm.Queue, "gone", lambda self, names: list(gone))
    return reservation.Reservation(["n3", "n4"], command, given)


def test_nodes_are_reserved_and_those_that_are_drained_resumed(monkeypatch):
    (create, resume), gone = reserved(monkeypatch, gone=["n4"]).commands(["n3", "n4", "n1"])
    assert gone == ["n4"]
    assert create[:4] == ["scontrol", "create", "reservation", "ReservationName=retest-n3-n4"]
    assert create[5:] == ["StartTime=now", "Duration=1-00:00:00", "Flags=IGNORE_JOBS",
                          "Nodes=n3,n4,n1"]
    assert resume == ["scontrol", "update", "NodeName=n4", "State=RESUME"]
    there = reserved(monkeypatch, ["n3", "n4", "n1"], ["n4"], "sudo -n scontrol update")
    assert there.commands(["n3", "n4", "n1"])[0] == [["sudo", "-n", *resume]]
    assert reserved(monkeypatch, ["n3"]).commands(["n3"])[0] == []


def test_the_reservation_of_a_campaign_is_used_and_stays(monkeypatch, capsys):
    night = reserved(monkeypatch, ["n1", "n3", "n4"], ["n3"], given="night")
    assert night.name == "night" and night.commands(["n3", "n1"])[0] == [
        ["scontrol", "update", "NodeName=n3", "State=RESUME"]]
    night.end(False)
    assert capsys.readouterr().out == ""


def test_without_yes_the_commands_are_printed(monkeypatch, capsys):
    assert not reserved(monkeypatch, gone=["n3"]).begin(["n3", "n1"], False)
    text = capsys.readouterr().out
    assert text.startswith("As root, or as an administrator of Slurm, type this; then type the "
                           "same command again:\nscontrol create reservation Reservation")
    assert text.endswith("scontrol update NodeName=n3 State=RESUME\n")
    assert reserved(monkeypatch, ["n3"]).begin(["n3"], False)
    reserved(monkeypatch, ["n3"]).end(False)
    assert capsys.readouterr().out.endswith(
        "type:\nscontrol delete ReservationName=retest-n3-n4\n")


@pytest.mark.parametrize("stays", (None, "night"))
def test_a_test_that_has_not_ended_leaves_nodes_as_they_were(monkeypatch, tmp_path, stays):
    for name in ("scontrol", "scancel"):
        jobs.program(tmp_path / name, f'echo "$*" >> {tmp_path}/called\n')
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    one = reserved(monkeypatch, gone=["n3", "n4"], given=stays)
    assert one.begin(["n3", "n4", "n1"], True)
    one.end(True, ["n4"])
    one.end(True, ["n3", "n4"])  # it is over
    called = (tmp_path / "called").read_text().splitlines()
    assert called[-1 if stays else -3] == (
        "update NodeName=n4 State=DRAIN Reason=xhpl-campaign: its second test has not ended")
    assert [line.split()[0] for line in called] == (["update", "update"] if stays else [
        "create", "update", "update", "--reservation=retest-n3-n4", "delete"])


def test_who_may_not_reserve_nodes_is_told_who_may(monkeypatch):
    refuses = reserved(monkeypatch, command="false scontrol")
    with pytest.raises(Refused, match="has failed. It needs root or an admin"):
        refuses.begin(["n3"], True)
    refuses.end(True, ["n3"])  # nothing was begun


WHY_NOT = cluster_slurm.why_not()
SIZE = ["--xhpl", str(jobs.XHPL), "--rate", "15", "--memory", "100M", "--nb", "128",
        "--seconds", "2", "--short", "1", "--slow", "15%", "--retries", "1"]


@pytest.fixture
def cluster(tmp_path):
    yield from clusters(tmp_path, cluster_slurm.Slurm)


@pytest.mark.clusters
@pytest.mark.skipif(WHY_NOT is not None, reason=str(WHY_NOT))
@retried
def test_slurm_gets_a_repaired_node_back_and_a_bad_one_is_drained(cluster):
    running = cluster()
    folder = running.folder / "campaign"

    def called(*words):
        return jobs.run(running.outside([CAMPAIGN, *words, "-C", folder]), running.folder,
                        limit=150)

    def asked(*words):
        return jobs.run(running.outside(words), running.folder).succeeded().stdout

    faults.half_speed(running, "n03")
    done = called("run", "--partition", "all", "--stages", "inventory,single",
                  "--repeats", "3", *SIZE)
    assert classes(result(folder, done)) == {"n03": "slow"}, str(done)
    called("report", "--yes")
    assert asked("sinfo", "-h", "-p", "all", "-t", "drain", "-o", "%N") == "n03\n"
    done = called("retest", "--hosts", "n03", "--yes")
    assert last(done).startswith("n03 is not ok, and is drained."), str(done)
    assert asked("sinfo", "-h", "-p", "all", "-t", "drain", "-o", "%N") == "n03\n"
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        job = jobs.start(running.outside([CAMPAIGN, "retest", "--hosts", "n03", "--yes", "-C",
                                          folder]), running.folder)
        wait_for(types.SimpleNamespace(events=lambda name: [
            asked("squeue", "-h"), "retest-n03" in asked("scontrol", "show", "reservation")]), all)
        os.kill(int(Path(f"/proc/{job.pid}/task/{job.pid}/children").read_text()), number)
        assert jobs.finish(job).status == 128 + number
        assert asked("sinfo", "-h", "-p", "all", "-t", "drain", "-o", "%N") == "n03\n"
        assert asked("scontrol", "show", "reservation").startswith("No reservations")
    faults.repaired(running, "n03")
    done = called("retest", "--hosts", "n03", "--yes").succeeded()
    assert last(done) == "n03 is ok, and in service", str(done)
    assert asked("sinfo", "-h", "-p", "all", "-o", "%T %D") == "idle 8\n"
    assert asked("scontrol", "show", "reservation").startswith("No reservations")
