# SPDX-License-Identifier: BSD-3-Clause
"""The page of a campaign: what it says, and how it looks in a browser."""
import copy
import json
import re
import types

import pytest

import campaign_sim
import jobs
import report_page
import test_hpl_report_browser as browsing
from campaign_sim import Simulated, World, named
from hpl_campaign import charts, drain, history, page, results, summary
from hpl_report import foreign
from test_hpl_report_browser import browser  # noqa: F401 (a fixture)

pytestmark = pytest.mark.scripts
HOSTS = named(16)
BAD = {HOSTS[3]: "slow", HOSTS[7]: "hung", HOSTS[12]: "wrong"}
SSH, SLURM = {"launcher": "ssh"}, {"launcher": "slurm"}
SCONTROL = f"scontrol update NodeName={HOSTS[12]} State=DRAIN"


def simulated(hosts=HOSTS, **faults):
    one = Simulated(World(hosts, noise=0.005, **faults), seed=4,
                    racks=lambda i: f"rack {i // 8}")
    one.single()
    one.pairs()
    one.settle()
    return summary.build(one)


@pytest.fixture(scope="module")
def three_faults():
    return simulated(slow={HOSTS[3]: 0.8}, dies={HOSTS[12]: "wrong"},
                     company={HOSTS[7]: "hung"})


@pytest.fixture
def campaign(three_faults):
    """With three faults, to be changed."""
    return copy.deepcopy(three_faults)


def written(folder, campaign, *earlier):
    path = folder / "campaign.html"
    path.write_text(page.make(campaign, earlier))
    return path


def text_of(campaign, *earlier):
    return report_page.text_of(page.make(campaign, earlier))


# ---- what it says -----------------------------------------------------------------


def test_it_begins_with_what_to_drain_and_why(campaign):
    text = text_of(campaign)
    assert "Drain 3 of 16 nodes 1 wrong, 1 hung, 1 slow, 13 ok" in text
    assert text.count("Pairs that failed have a frame.") == 1
    assert "stays until decided" not in text and "repaired node slow" not in text
    assert re.search(r" UTC · took \d", text)
    assert text.count("Above 100 % is better in this chart, too: it shows the median divided") == 1
    assert f"What to do 1. Drain {HOSTS[12]}, {HOSTS[7]} and {HOSTS[3]} With Slurm" in text
    assert "by chance" not in text.partition("Map of nodes")[0]
    assert "by chance a good node looks this slow" in text.partition("All reasons")[2]
    for entry in campaign["drain"]:
        assert f"{entry['host']} {entry['class']} {entry['reason'][:60]}" in text


def test_it_says_when_all_is_well():
    text = text_of(simulated())
    assert "All 16 nodes are ok" in text
    assert "What to do" not in text and "certain" not in text.partition("Map of")[0]


def test_what_is_open_is_no_node_to_drain(campaign):
    host = campaign["hosts"][0]
    host["class"] = "unknown"
    host["reasons"] = [{"class": "unknown", "text": "died with n9, and nobody knows",
                        "detail": "", "runs": ["pairs-1-x"], "certain": False}]
    campaign["open"] = summary.left_open(campaign["hosts"])
    text = text_of(campaign)
    assert "Drain 3 of 16 nodes; test 1 again" in text
    assert f"Not certain after one test: do not drain yet {host['name']} unknown died with n9" in text
    assert "unknown?" not in text and f"2. Test {host['name']} again" in text
    assert f"3. Repair {HOSTS[12]}, {HOSTS[7]} and {HOSTS[3]}, and test each" in text
    campaign["drain"] = []
    text = text_of(campaign)
    assert "Drain none of 16 nodes; test 1 again" in text
    assert f"1. Test {host['name']} again" in text and "Repair" not in text


def test_where_most_nodes_fail_it_says_to_look_for_one_cause():
    found = simulated(dies=dict.fromkeys(HOSTS[:12], "not started"))
    found["command"] = ["xhpl-campaign", "run", "--hosts", "n[1-16]", "-C", "c"]
    text = text_of(found)
    assert ("xhpl-campaign run -C campaign-again --compare campaign/campaign.json "
            "'--hosts=n[1-16]'" in text)
    found["runs"] = []
    assert "Then the same command as before asks all nodes again." in text_of(found)
    assert "Do not drain yet: 12 of 16 nodes are not started" in text
    assert "More than half of the nodes are not started" in text
    assert "Do not drain before it is found" in text and "scontrol" not in text
    found["options"] = SLURM
    assert "before you drain" not in text_of(found)


def test_a_long_list_is_folded():
    found = simulated(dies=dict.fromkeys(HOSTS[:12], "died"))
    assert "4 more" in text_of(found) and len(found["drain"]) == 12


def test_the_command_that_drains_can_be_another(campaign):
    calls = page.Calls("bin/xhpl-campaign", "/a b", "nodectl off {host}")
    text = report_page.text_of(page.make(campaign, calls=calls))
    assert f"nodectl off {HOSTS[3]}" in text and "Slurm" not in text.partition("2. Repair")[0]
    assert ("bin/xhpl-campaign report -C '/a b' --drain-command 'nodectl off {host}' --yes"
            in text)
    campaign["options"] = {"drain_command": "nodectl off {host}"}
    text = report_page.text_of(page.make(campaign, calls=calls))
    assert "bin/xhpl-campaign report -C '/a b' --yes" in text


def test_who_has_no_slurm_reads_how_to_name_another_command(campaign):
    line = page.Calls("x", "/c").drain_otherwise()
    assert line == "x report -C /c --drain-command 'pbsnodes -o -C {reason} {host}' --yes"
    text = report_page.text_of(page.make(campaign, calls=page.Calls("x", "/c")))
    assert f"With Slurm, type as root or as an administrator of Slurm: Copy {SCONTROL}" in text
    assert (f"With another scheduler, drain {HOSTS[12]}, {HOSTS[7]} and {HOSTS[3]} by its own command; "
            f"with PBS, type this: Copy {line}" in text)


def test_differences_and_failed_runs_are_named(campaign):
    campaign["hosts"][5]["differences"] = ["governor is powersave, elsewhere none"]
    text = text_of(campaign)
    assert "Nodes that differ from the majority" in text
    assert f"{HOSTS[5]} ok governor is powersave" in text
    assert "Runs that failed" in text and f"single-1-{HOSTS[12]}" in text


def test_over_ssh_an_uncertain_node_of_few_has_two_commands_and_an_end():
    found = simulated(named(4), slow={HOSTS[1]: 0.7})
    found["options"] = SSH
    text = text_of(found).partition("Map of nodes")[0]
    assert (f"1 slow?, 3 ok Not certain after one test: do not drain yet {HOSTS[1]} slow? 3" in text)
    four = f"{HOSTS[1]},{HOSTS[0]},{HOSTS[2]},{HOSTS[3]}"
    assert (f"1. Test {HOSTS[1]} again Leave it in service. A second test decides, alone and in "
            "pairs with good nodes: chance seldom finds the same node twice, so what it finds "
            "counts, also among few nodes. End programs there that use more than 5 % of a core "
            "in the second list of top and belong to no job and not to the system; if there are "
            f"none, go on: Copy ssh {HOSTS[1]} 'top -b -d 5 -n 2 | grep -A14 ^top' The test takes "
            "about 6 minutes, "
            f"and uses {HOSTS[0]}, {HOSTS[2]} and {HOSTS[3]} to compare with. Keep other "
            "programs off these nodes until it ends. Ctrl-C stops it. A lost ssh session does the "
            "same, unless you type the command within tmux." in text)
    assert ("With Slurm: reserve the nodes first Type the commands here as root or as an "
            "administrator of Slurm, and the test, once squeue lists no job, as the user who ran "
            "the campaign: Copy scontrol create "
            "reservation ReservationName=retest Users=root StartTime=now Duration=1-00:00:00 "
            f"Flags=IGNORE_JOBS Nodes={four} squeue -w {four} After the test, and after "
            "draining a node that is not ok: Copy scontrol delete ReservationName=retest Type, "
            "as the user who ran the campaign: Copy "
            f"xhpl-campaign retest -C campaign --hosts {HOSTS[1]} How a test ends" in text)
    assert f"{HOSTS[1]} is ok : leave it in service. {HOSTS[1]} is not ok : " in text
    assert (f"{HOSTS[1]} is not ok : take it out of service, with Slurm by the command that the "
            "test prints, else from your list of hosts. Look for the cause (below), repair it" in text)
    assert f"{HOSTS[1]} was not tested : it is as before. The" in text
    assert (f"Only if a node is not ok, look before its repair, as root: Copy ssh {HOSTS[1]} "
            "'top -b -d 5 -n 2 | grep -A14 ^top; journalctl -k --since -1d | grep -ic throttled' "
            f"{HOSTS[1]}: The second list of top counts, not the first. A program" in text)
    assert f"with those of {HOSTS[0]}, a good node." in text
    assert ("You are done when the last line of a test says that all nodes of the campaign are ok; "
            "else it says what is left, and campaign/campaign.html is written anew." in text)
    assert "2." not in text and "look at" not in text


def test_on_slurm_each_repaired_node_has_its_own_command(campaign):
    campaign["options"] = SLURM
    text = text_of(campaign).partition("Map of nodes")[0]
    assert ("Nothing is drained before you type this. Type as root or as an administrator of Slurm: "
            "Copy xhpl-campaign report -C campaign --yes Jobs that run there go on to their end, and "
            "no new ones start. sinfo -lR lists the nodes: as drng while jobs run, then as drain. "
            f"The commands that it runs Copy {SCONTROL}" in text)
    own = " ".join(f"Copy xhpl-campaign retest -C campaign --hosts {entry['host']} --yes"
                   for entry in campaign["drain"])
    assert ("and leave it drained: the test puts it back into service if it is ok. With --yes the "
            "command reserves the node and 5 good ones, idle ones first: no new jobs start" in text)
    assert ("the test waits for their end, however long (squeue shows them). It takes about 6 "
            "minutes, drains a node that is not ok, and ends the reservation. Ctrl-C stops it, also "
            "while it waits: the reservation ends, and nodes are as they were. A lost ssh session "
            "does the same, unless you type the command within tmux." in text)
    assert (f"Type as root or as an administrator of Slurm: {own} Those that come back together, "
            f"by one command: Copy xhpl-campaign retest -C campaign --hosts {HOSTS[12]},"
            f"{HOSTS[7]},{HOSTS[3]} --yes How a test ends" in text)
    assert "NODE is ok : it is in service, also if it was drained. Nothing else" in text
    assert "NODE is not ok : it is drained, or stays so. Look for the cause (in step 2), repair it" in text
    assert "NODE was not tested : it is as before: drained if it was. The" in text
    assert "PBS" not in text and "Only if a node" not in text


def test_of_few_nodes_on_slurm_all_are_reserved():
    found = simulated(named(4), slow={HOSTS[1]: 0.7})
    found["options"] = SLURM
    assert "With --yes the command reserves all 4 nodes: no new" in text_of(found)
    assert f"{HOSTS[1]} is ok : it is in service. Nothing" in text_of(found)
    assert f"{HOSTS[1]} is not ok : it is drained. Look for the cause (below)" in text_of(found)


def test_a_second_test_is_waited_for_once(campaign):
    """Its step after the repair refers to that before."""
    campaign["options"] = SLURM
    campaign["open"], campaign["drain"] = campaign["drain"][:1], campaign["drain"][1:]
    text = text_of(campaign)
    assert text.count("With --yes the command reserves") == 1
    assert "The command reserves nodes and waits as the one above." in text


def test_what_a_second_test_has_drained_is_not_said_to_be_in_service(campaign):
    campaign["options"] = SLURM
    host = next(host for host in campaign["hosts"] if host["name"] == HOSTS[3])
    host.update(retest="retest-1-x", reasons=[])
    text = text_of(campaign)
    assert f"and {HOSTS[3]}, unless a test has done so Type as root" in text
    assert "Nothing is drained" not in text
    assert "1 slow, 13 ok" in text


def test_a_bad_node_is_called_ok_by_no_reason(campaign):
    host = next(host for host in campaign["hosts"] if host["name"] == HOSTS[3])
    host["reasons"].append({"class": "ok", "text": "the inventory failed", "detail": "",
                            "runs": [], "certain": False})
    assert f"{HOSTS[3]} – – the inventory failed" in text_of(campaign)


@pytest.mark.parametrize("fault, said", (
    ({"slow": {HOSTS[2]: 0.7}}, "'top -b -d 5 -n 2 | grep -A14 ^top; journalctl"),
    ({"link": {HOSTS[2]: 0.4}}, f"'ibstat || ip -s link' ssh {HOSTS[0]} 'ibstat || ip -s link' "
     f"{HOSTS[2]}: A link is down, has errors (perfquery shows those of InfiniBand), or is slower "
     f"than that of {HOSTS[0]}, a good node: cable"),
    ({"company": {HOSTS[2]: "hung"}}, "'ibstat || ip -s link; journalctl -k -p err -n 20' "
     f"ssh {HOSTS[0]} 'ibstat || ip -s link' {HOSTS[2]}: A link is down, has errors (perfquery shows "
     f"those of InfiniBand), or is slower than that of {HOSTS[0]}, a good node: cable, port or "
     "switch. Errors of the kernel name memory, device or network."),
    ({"dies": {HOSTS[2]: "wrong"}}, "'journalctl -k -p err -n 20'")))
def test_each_kind_of_fault_has_a_first_look(fault, said):
    assert f"Look first, as root: Copy ssh {HOSTS[2]} {said}" in text_of(simulated(**fault))


@pytest.mark.parametrize("launcher, drains, said", (
    ("slurm", False, "nothing is drained yet; this does it, as root or as an administrator of "
     "Slurm:\nx report -C /c --yes\nby these commands:\n" + SCONTROL),
    ("ssh", False, "nothing is drained yet; this does it, with Slurm as root"),
    ("slurm", True, "draining these nodes:\n" + SCONTROL),
    ("slurm", True, "leave a node drained until its repair, then test it, as root or as an "
     "administrator of Slurm; it reserves the node and 5 good ones, idle ones first, and drains "
     "or resumes what it tests:\nx retest -C /c --hosts NODE --yes\n")),
    ids=("slurm", "ssh", "drains", "retest"))
def test_a_terminal_shows_the_next_commands(campaign, launcher, drains, said):
    campaign["options"] = {"launcher": launcher}
    campaign["figures"]["single"]["full"] = None
    given = types.SimpleNamespace(calls=page.Calls("x", "/c"), drain_command=drain.COMMAND,
                                  full=True, directory="/c")
    assert said in results.said(campaign, given, drains)


ASKED = {"dies": {HOSTS[2]: "not started"}}  # a node that has not started
OFF = f"scontrol update NodeName={HOSTS[2]} State=DRAIN 'Reason=not started: "
ONLY_IF = {"ssh": "only if it does not answer, drain it, with Slurm ",
           "slurm": "only if its state has DOWN or NOT_RESPONDING, but not DRAIN, MAINT or "
                    "RESERVED, drain it, as root"}
QUESTION = {"ssh": f"ssh {HOSTS[2]} uptime", "slurm": f"scontrol show node {HOSTS[2]}"}


@pytest.mark.parametrize("launcher", QUESTION)
@pytest.mark.parametrize("slow", ({}, {HOSTS[4]: 0.7}), ids=("alone", "beside a slow node"))
def test_what_others_may_keep_is_drained_after_a_question(launcher, slow, tmp_path):
    found = simulated(slow=slow, **ASKED)
    found["options"] = {"launcher": launcher}
    found["figures"]["single"]["full"] = None
    given = types.SimpleNamespace(calls=page.Calls("x", "/c"), drain_command=drain.COMMAND,
                                  full=True, directory="/c")
    said = results.said(found, given)
    at_once, sep, asked = said.partition(f"ask first about {HOSTS[2]}, which may be busy or kept by "
                                         f"others:\n{QUESTION[launcher]}\n{ONLY_IF[launcher]}")
    assert sep and OFF in asked and OFF not in at_once
    assert ("State=DRAIN 'Reason=slow" in at_once) == bool(slow)
    assert re.search(r"'\nelse test it once it is free, by the next command\n\n"
                     r"leave a node .*:\nx retest -C /c --hosts NODE", asked)
    assert said.count("nothing is drained yet") == 1 and "report -C /c --yes" not in said
    text = drain.text(found["drain"], launcher)
    assert text.splitlines()[-1].startswith(f"# ask first: {HOSTS[2]}: not started: ")
    assert f"; drain it {ONLY_IF[launcher].partition(', drain')[0]}: {QUESTION[launcher]}\n" in text
    (names,) = re.findall(r"Names of those to drain at once: `(.*?)`",
                          (jobs.SOURCE / "docs/CAMPAIGN.md").read_text())  # fmt: skip
    (tmp_path / "drain.txt").write_text(text)
    assert jobs.run(["sh", "-c", names], tmp_path).succeeded().stdout.split() == list(slow)
    assert len(text.splitlines()) == 1 + len(slow)
    assert "draining these nodes:" in results.said(found, given, drains=True)


def test_of_many_nodes_to_drain_the_first_have_commands():
    found = simulated(dies=dict.fromkeys(HOSTS[:4], "died") | dict.fromkeys(
        HOSTS[4:8], "wrong") | {HOSTS[8]: "hung"})
    found["counts"] = {"ok": 16}  # no common cause
    text = text_of(found)
    assert text.count("xhpl-campaign retest -C") == 8 + 1
    assert "For the others, put their names there." in text


@pytest.mark.parametrize("options, busy, means", (
    (SSH, f"If {HOSTS[2]} answers, it was away or busy: test it by its command at the end of step "
     f"2. Only if {HOSTS[2]} does not answer, drain it: without Slurm, take it off your list of "
     "hosts; with Slurm, type as root or as an administrator of Slurm: Copy ",
     "It does not answer: look at power and network (console, BMC)."),
    (SLURM, "The first of these that fits counts: The state has DRAIN, MAINT or RESERVED, and its "
     "Reason or reservation was not set by you: others keep the node. Leave it to them, and test it "
     "once they give it back. The state has DRAIN, and the Reason is yours: it is drained already. "
     "Step 2 repairs it. The state has DOWN or NOT_RESPONDING: drain it by the command below, as root or as an "
     "administrator of Slurm. Else (IDLE, MIXED, ALLOCATED): it may have been busy. Test it by its "
     "command at the end of step 2. Copy ", "Its state has DOWN or NOT_RESPONDING: look at power, "
     "network (console, BMC) and slurmd.")))
def test_of_a_node_that_has_not_started_it_says_what_to_ask(options, busy, means):
    found, said = simulated(**ASKED), QUESTION[options["launcher"]]
    found["options"] = options
    text = text_of(found)
    assert "Drain none of 16 nodes; ask about 1 1 not started, 15 ok" in text
    assert f"ask before you drain it: {said} What to do 1. Ask about {HOSTS[2]} Copy {said} {busy}{OFF}" in text
    assert "report -C campaign --yes" not in text
    assert f"2. Repair {HOSTS[2]} only if you drained it, and test it {HOSTS[2]}: {means} Nothing found: test" in text
    assert f"{HOSTS[2]} not started ask first in " in text
    found["open"] = [{**found["drain"][0], "host": HOSTS[5]}]
    text = text_of(found)
    assert "est it by its command at the end of step 3." in text
    assert f"Look for the cause (of {HOSTS[5]} below, of {HOSTS[2]} in step 3), repair" in text
    assert f"before its repair, as root: Copy {said.replace(HOSTS[2], HOSTS[5])} {HOSTS[5]}: " in text


@pytest.mark.parametrize("options", (SSH, SLURM))
def test_only_what_is_certain_is_drained_at_once(options):
    found = simulated(slow={HOSTS[4]: 0.7}, link={HOSTS[9]: 0.4}, **ASKED)
    found["options"] = options
    text = text_of(found).partition("Map of nodes")[0]
    assert "Drain 2 of 16 nodes; ask about 1 1 not started, 2 slow, 13 ok" in text
    at_once = text.partition(
        f"1. Drain {HOSTS[4]} and {HOSTS[9]}; ask about {HOSTS[2]} ")[2].partition("Ask about")[0]
    assert all(f"NodeName={HOSTS[i]} " in at_once for i in (4, 9)) and HOSTS[2] not in at_once
    assert ("pbsnodes -o -C 'slow: 30" in at_once) == (options == SSH)
    assert (f"{HOSTS[4]}: The second list of top counts, not the first. A program" in text
            and f"{HOSTS[9]}: A link is down" in text)
    assert f"2. Repair {HOSTS[4]} and {HOSTS[9]}, {HOSTS[2]} only if you drained it, and test each" in text
    assert text.count("Nothing found: test the node all the same.") == 1
    assert text.count("If it is not ok again and no defect is found, give the vendor the folder") == 1


def test_commands_within_sentences_are_code():
    text = page.make(simulated(slow={HOSTS[4]: 0.7}))
    for command in ("sinfo -lR", "lscpu", "dmidecode -t memory", "squeue"):
        assert f"<code>{command}</code>" in text


def test_ends_that_no_digit_tells_apart_are_one_number():
    assert charts.span([0.999, 1.001]) == "100\u00a0%" and "from" in charts.span([0.98, 1.001])


def test_what_was_not_given_is_no_option_of_the_run(campaign):
    campaign["options"] = {**SSH, "retries": 8, "repeats": 3}
    assert "launcher ssh repeats 3 Slow" in text_of(campaign)


def test_nodes_with_the_same_look_share_a_sentence():
    text = text_of(simulated(slow={HOSTS[4]: 0.7, HOSTS[7]: 0.8}))
    assert f"{HOSTS[4]} and {HOSTS[7]}: The second list of top counts" in text


def test_the_end_of_a_test_says_of_a_drained_node_alone_to_put_it_back():
    found = simulated(slow={HOSTS[4]: 0.7})
    found["options"] = SSH
    resumed = (": without Slurm, into your list of hosts; with Slurm, type as root or as an "
               "administrator of Slurm: Copy scontrol update NodeName={} State=RESUME")
    assert f"{HOSTS[4]} is ok : put it back into service{resumed.format(HOSTS[4])}" in text_of(found)
    found["open"] = [{**found["drain"][0], "host": HOSTS[5]}]
    text = text_of(found)
    assert (f"NODE is ok : leave it in service, or put it back if it was drained{resumed}"
            .format("NODE") in text)
    assert text.count("If you made the reservation of step 2, delete it before. Type the commands") == 1


def test_why_a_node_has_not_started_is_told_once():
    """By the run, where Slurm told it to the inventory in other words."""
    one = Simulated(World(HOSTS, dies={HOSTS[2]: "not started"}), seed=4)
    one.single()
    one.inventory[HOSTS[2]] = {"facts": {}, "error": "srun: error: Requested nodes are busy"}
    one.settle()
    found = summary.build(one)
    (row,) = [host for host in found["hosts"] if host["name"] == HOSTS[2]]
    assert [why["class"] for why in row["reasons"]] == ["not started"]


def test_the_legend_marks_what_is_undecided():
    found = simulated(named(4), slow={HOSTS[1]: 0.7})
    assert "Map of nodes S slow? 1 ok 3 " in text_of(found)


def test_the_page_of_a_second_test_names_the_first_campaign(campaign):
    """Its commands test nodes of that one."""
    campaign["options"] = {**SLURM, "retest": [HOSTS[3]]}
    calls = page.Calls("x", "/c/retest-1-n0003", first="/c")
    text = report_page.text_of(page.make(campaign, calls=calls))
    assert "and n0003, unless a test has done so Type as root" in text
    assert "x report -C /c/retest-1-n0003 --yes" in text
    assert "x retest -C /c --hosts n0003 --yes" in text
    assert calls.anew(campaign) == "x retest -C /c --hosts n0003 --yes"


def test_few_nodes_of_a_kind_may_all_be_ok():
    assert "All 4 nodes are ok" in text_of(simulated(named(4)))


def test_a_campaign_that_has_only_begun_has_a_page():
    one = Simulated(World(HOSTS))
    one.inventory = {}
    text = text_of(summary.build(one))
    assert "No run has ended: nothing is known of 16 nodes" in text and "16 unknown" in text
    assert "xhpl-campaign run -C" not in text


def test_all_its_data_fit_into_campaign_json(campaign):
    assert page.make(json.loads(json.dumps(campaign))) == page.make(campaign)


# ---- earlier campaigns ----------------------------------------------------------------


def test_it_says_what_changed_since_an_earlier_campaign(campaign):
    earlier = simulated()
    earlier.update(name="before", started="2026-01-01T00:00:00Z")
    text = text_of(campaign, earlier)
    assert "Beside earlier campaigns" in text and "before" in text
    assert f"{HOSTS[12]} ok wrong" in text and f"{HOSTS[3]} ok slow 80" in text


def test_other_sizes_are_not_compared(campaign):
    earlier = copy.deepcopy(campaign)
    for kind in earlier["figures"]["single"]["kinds"]:
        kind["n"] += 192
    for host in earlier["hosts"]:
        host["gflops"] = [2 * rate for rate in host["gflops"]]
    assert history.changed(earlier, campaign) == []


@pytest.mark.parametrize("content, said", (
    ("{", "not JSON"), ("[]", "no campaign.json"), ('{"version": 9}', "version 1"),
    (None, "No such file")))  # fmt: skip
def test_what_is_no_campaign_is_refused(tmp_path, content, said):
    path = tmp_path / "campaign.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(foreign.Refused, match=said):
        history.read(path)


def test_earlier_campaigns_are_read_and_put_in_order(tmp_path, campaign):
    (tmp_path / "c.json").write_text(json.dumps(campaign))
    found = history.read(tmp_path / "c.json")
    later = {**found, "started": "2030-01-01T00:00:00Z"}
    assert history.by_age([later, found]) == [found, later]


# ---- how it looks -----------------------------------------------------------------------

FOLD = """
return [...document.querySelectorAll(".campaign .drain li")].map(
  (item) => item.getBoundingClientRect().bottom)
"""
READABLE = """
const light = (text) => {
  const [r, g, b] = text.match(/[\\d.]+/g).slice(0, 3).map((x) => x / 255)
    .map((x) => x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
return [...document.querySelectorAll(".klass")].map((one) => {
  const style = getComputedStyle(one);
  const [a, b] = [light(style.color), light(style.backgroundColor)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
});
"""


@pytest.mark.parametrize("scheme, width", browsing.LOOKS)
def test_the_first_screen_has_the_nodes_to_drain(
        browser, tmp_path, campaign, scheme, width):  # noqa: F811
    browsing.look(browser, written(tmp_path, campaign), scheme, width)
    ends = browser.execute_script(FOLD)
    assert len(ends) == 3 and max(ends) < 900, ends
    assert browser.execute_script(browsing.OVERFLOW) <= 0
    assert browsing.complaints(browser) == []


@pytest.mark.parametrize("scheme, width", browsing.LOOKS)
def test_charts_are_drawn_in_any_look(
        browser, tmp_path, campaign, scheme, width):  # noqa: F811
    earlier = {**simulated(), "started": "2026-01-01T00:00:00Z"}
    browsing.look(browser, written(tmp_path, campaign, earlier), scheme, width)
    charts = browser.execute_script(browsing.CHARTS)
    assert [chart["kind"] for chart in charts] == [
        "ranked", "matrix", "matrix", "matrix", "history"]
    for chart in charts:
        assert chart["drawn"] and chart["height"] > 140 and chart["marks"] >= 3, chart


@pytest.mark.more
@pytest.mark.parametrize("scheme", ("light", "dark"))
def test_every_class_can_be_read_on_its_colour(
        browser, tmp_path, campaign, scheme):  # noqa: F811
    campaign["drain"] = [{"host": klass, "class": klass, "reason": "x"}
                         for klass in page.CLASSES]
    browsing.look(browser, written(tmp_path, campaign), scheme)
    contrasts = browser.execute_script(READABLE)
    assert len(contrasts) == len(page.CLASSES) and min(contrasts) > 4, contrasts


@pytest.mark.more
def test_a_map_of_many_nodes_fits_a_phone(browser, tmp_path):  # noqa: F811
    found = summary.build(campaign_sim.large(700))
    browsing.look(browser, written(tmp_path, found), "dark", 390)
    assert browser.execute_script(
        "return document.querySelectorAll('.cells i').length") == 700
    assert browser.execute_script(browsing.OVERFLOW) <= 0
    assert [chart["kind"] for chart in browser.execute_script(browsing.CHARTS)] == [
        "ranked", "histogram", "ranked", "ranked", "ranked"]
    assert browsing.complaints(browser) == []


# Members whose texts the program chose.
OURS = {"class", "outcome", "columns", "started", "ended"}


def hostile(value, key=""):
    """A campaign in which all foreign texts are hostile, names of hosts as well."""
    if isinstance(value, dict):
        return {k: v if k in OURS else hostile(v, k) for k, v in value.items()}
    if isinstance(value, list):
        return [hostile(item, key) for item in value]
    return browsing.HOSTILE + value if isinstance(value, str) else value


@pytest.mark.more
@pytest.mark.parametrize("of", (lambda klass: klass, lambda klass: browsing.HOSTILE))
def test_names_of_hosts_run_no_script(browser, tmp_path, campaign, of):  # noqa: F811
    campaign["hosts"][5]["differences"] = ["governor is powersave"]
    campaign = hostile(campaign)
    for host in campaign["hosts"]:
        if host["class"] == "slow":
            host["class"] = of("slow")
    earlier = {**copy.deepcopy(campaign), "started": "2026-01-01T00:00:00Z"}
    for cell in campaign["pairs"]["cells"]:
        assert isinstance(cell[0], int)
    browsing.look(browser, written(tmp_path, campaign, earlier))
    said = [browsing.hover(browser, chart) for chart in
            browser.find_elements("css selector", "[data-chart]")[:2]]
    assert any(browsing.HURT in text for texts in said for text in texts), said
    browsing.assert_all_is_text(browser)
