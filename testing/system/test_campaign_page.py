# SPDX-License-Identifier: BSD-3-Clause
"""The page of a campaign: what it says, and how it looks in a browser."""
import copy
import html
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
from report_page import assert_said
from test_hpl_report_browser import browser  # noqa: F401 (a fixture)

pytestmark = pytest.mark.scripts
HOSTS = named(16)
BAD = {HOSTS[3]: "slow", HOSTS[7]: "hung", HOSTS[12]: "wrong"}
SSH, SLURM = {"launcher": "ssh"}, {"launcher": "slurm"}
DRAIN = "scontrol update NodeName={} State=DRAIN 'Reason={}"


def simulated(hosts=HOSTS, options=None, **faults):
    one = Simulated(World(hosts, noise=0.005, **faults), seed=4,
                    racks=lambda i: f"rack {i // 8}")
    found = summary.build(one.single().pairs().settle())
    found["options"] = options or found["options"]
    return found


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


def text_of(campaign, *earlier, calls=page.Calls()):
    return report_page.text_of(page.make(campaign, earlier, calls))


# ---- commands to copy --------------------------------------------------------------


def copied(campaign, calls=page.Calls()):
    """The commands of the page that have a button, by name."""
    found = re.findall(r'<pre id="([^"]+)"[^>]*>(.*?)</pre>', page.make(campaign, (), calls), re.S)
    return {name: html.unescape(text) for name, text in found}


def retests(*hosts, yes=""):
    """The commands that test repaired nodes."""
    asked = "xhpl-campaign retest -C campaign --hosts "
    found = {f"retest-{i}": f"{asked}{host}{yes}" for i, host in enumerate(hosts)}
    return {**found, "together": f"{asked}{','.join(hosts)}{yes}"} if len(hosts) > 1 else found


def reserved(step, *hosts):
    """The commands by which who has no Slurm launcher may reserve nodes."""
    return {f"reserve-{step}":
            "scontrol create reservation ReservationName=retest Users=root StartTime=now "
            f"Duration=1-00:00:00 Flags=IGNORE_JOBS Nodes={','.join(hosts)}\n"
            f"squeue -w {','.join(hosts)}",
            f"release-{step}": "scontrol delete ReservationName=retest"}


TOP = "top -b -d 5 -n 2 | grep -A14 ^top"
PROGRAM = f"ssh {{}} '{TOP}; journalctl -k --since -1d | grep -ic throttled'"
LINK, ERROR = "ssh {} 'ibstat || ip -s link'", "ssh {} 'journalctl -k -p err -n 20'"
BOTH = "ssh {} 'ibstat || ip -s link; journalctl -k -p err -n 20'"
N = HOSTS
OF_THREE = "\n".join([ERROR.format(N[12]), BOTH.format(N[7]), LINK.format(N[0]),
                      PROGRAM.format(N[3])])
OF_MIX = "\n".join([PROGRAM.format(N[4]), LINK.format(N[9]), LINK.format(N[0])])
PBS = "xhpl-campaign report -C campaign --drain-command 'pbsnodes -o -C {reason} {host}' --yes"
ALL = {"drain-all": "xhpl-campaign report -C campaign --yes"}
ASKED = {"dies": {N[2]: "not started"}}
MIX = {"slow": {N[4]: 0.7}, "link": {N[9]: 0.4}, **ASKED}
THREE = {"slow": {N[3]: 0.8}, "dies": {N[12]: "wrong"}, "company": {N[7]: "hung"}}
FEW = {"hosts": named(4), "slow": {N[1]: 0.7}}
YES, RESUME = " --yes", "scontrol update NodeName={} State=RESUME"
# Faults, launcher, who is drained at once and who after a question, all other commands,
# and sentences in their order.
STEPS = [
    (FEW, SSH, (), (), {
        "look": f"ssh {N[1]} '{TOP}'", **reserved("decide", N[1], N[0], N[2], N[3]),
        "decide": f"xhpl-campaign retest -C campaign --hosts {N[1]}",
        "look-then": PROGRAM.format(N[1])},
     ("Drain none of 4 nodes; test 1 again", "1 slow?, 3 ok Not certain after one test: do not "
      f"drain yet {N[1]} slow? 3", f"1. Test {N[1]} again Leave it in service.",
      f"The test takes about 6 minutes, and uses {N[0]}, {N[2]} and {N[3]} to compare with.",
      "A lost ssh session does the same, unless you type the command within tmux.",
      f"{N[1]} is ok : leave it in service.", f"{N[1]} is not ok : take it out of service",
      f"{N[1]} was not tested : it is as before.", "Only if a node is not ok, look before",
      f"with those of {N[0]}, a good node.", "You are done when the last line of a test says")),
    (FEW, SLURM, (), (), {
        "decide": f"xhpl-campaign retest -C campaign --hosts {N[1]} --yes",
        "look-then": PROGRAM.format(N[1])},
     ("With --yes the command reserves all 4 nodes: no new", f"{N[1]} is ok : it is in service. "
      "Nothing", f"{N[1]} is not ok : it is drained. Look for the cause (below)")),
    (THREE, SSH, (N[12], N[7], N[3]), (), {
        "elsewhere": PBS, "look-first": OF_THREE, "resume": RESUME.format("NODE"),
        **reserved("repair", *(N[i] for i in (12, 7, 3, 0, 1, 2, 4, 5))),
        **retests(N[12], N[7], N[3])},
     (f"1. Drain {N[12]}, {N[7]} and {N[3]} With Slurm, type as root or as an administrator of "
      "Slurm:", f"With another scheduler, drain {N[12]}, {N[7]} and {N[3]} by its own command; "
      "with PBS, type this:", f"2. Repair {N[12]}, {N[7]} and {N[3]}, and test each")),
    (THREE, SLURM, (N[12], N[7], N[3]), (), {
        **ALL, "look-first": OF_THREE, **retests(N[12], N[7], N[3], yes=YES)},
     ("Nothing is drained before you type this. Type as root or as an administrator of Slurm:",
      "Jobs that run there go on to their end, and no new ones start.", "leave it drained: the "
      "test puts it back into service if it is ok.", "With --yes the command reserves the node "
      "and 5 good ones, idle ones first", "the test waits for their end, however long",
      "Those that come back together", "NODE is ok : it is in service, also if it was drained.",
      "NODE is not ok : it is drained, or stays so. Look for the cause (in step 2)",
      "NODE was not tested : it is as before: drained if it was.")),
    (ASKED, SSH, (), (N[2],), {
        "ask": f"ssh {N[2]} uptime", **reserved("repair", N[2], N[0], N[1], *N[3:6]),
        **retests(N[2]), "resume": RESUME.format(N[2])},
     ("Drain none of 16 nodes; ask about 1 1 not started, 15 ok", f"ask before you drain it: "
      f"ssh {N[2]} uptime", f"1. Ask about {N[2]} Copy", f"If {N[2]} answers, it was away or "
      f"busy: test it by its command at the end of step 2. Only if {N[2]} does not answer, drain "
      f"it: without Slurm, take it off", f"2. Repair {N[2]} only if you drained it, and test it",
      "It does not answer: look at power", f"{N[2]} not started ask first in ")),
    (ASKED, SLURM, (), (N[2],), {"ask": f"scontrol show node {N[2]}", **retests(N[2], yes=YES)},
     ("The first of these that fits counts: The state has DRAIN, MAINT or RESERVED, and its "
      "Reason or reservation was not set by you", "it is drained already. Step 2 repairs it.",
      "The state has DOWN or NOT_RESPONDING: drain it by the command below, as root",
      "Else (IDLE, MIXED, ALLOCATED): it may have been busy.", "Its state has DOWN")),
    (MIX, SSH, (N[4], N[9]), (N[2],), {
        "ask": f"ssh {N[2]} uptime", "look-first": OF_MIX, "resume": RESUME.format("NODE"),
        **reserved("repair", *(N[i] for i in (4, 9, 2, 0, 1, 3, 5, 6))),
        **retests(N[4], N[9], N[2])},
     ("Drain 2 of 16 nodes; ask about 1 1 not started, 2 slow, 13 ok", f"1. Drain {N[4]} and "
      f"{N[9]}; ask about {N[2]} ", "pbsnodes -o -C 'slow: 30", f"2. Repair {N[4]} and {N[9]}, "
      f"{N[2]} only if you drained it, and test each", f"{N[4]}: The second list of top counts",
      f"{N[9]}: A link is down", "Nothing found: test the node all the same.")),
    (MIX, SLURM, (N[4], N[9]), (N[2],), {
        "ask": f"scontrol show node {N[2]}", "look-first": OF_MIX,
        **retests(N[4], N[9], N[2], yes=YES)}, ()),
]  # fmt: skip


@pytest.mark.parametrize("faults, options, at_once, asked, expected, said", STEPS)
def test_its_steps_are_what_is_to_be_done(faults, options, at_once, asked, expected, said):
    found = simulated(options=options, **faults)
    commands = copied(found)
    for name, hosts in ("commands", at_once), ("drain-asked", asked):
        lines = commands.pop(name, "").splitlines()
        assert len(lines) == len(hosts), lines
        for line, host in zip(lines, hosts):
            (why,) = [x["reason"] for x in found["drain"] if x["host"] == host]
            assert line.startswith(DRAIN.format(host, "")) and why[:20] in line
    if asked and at_once and options is SSH:  # one by one, as not all are drained
        assert commands.pop("elsewhere").count("pbsnodes -o -C") == len(at_once)
    assert commands == expected
    assert_said(text_of(found), *said)


LOOKS = [
    ({"slow": {N[2]: 0.7}}, PROGRAM.format(N[2])),
    ({"link": {N[2]: 0.4}}, f"{LINK.format(N[2])}\n{LINK.format(N[0])}"),
    ({"company": {N[2]: "hung"}}, f"{BOTH.format(N[2])}\n{LINK.format(N[0])}"),
    ({"dies": {N[2]: "wrong"}}, ERROR.format(N[2])),
]  # fmt: skip


@pytest.mark.parametrize("fault, look", LOOKS)
def test_each_kind_of_fault_has_a_first_look(fault, look):
    assert copied(simulated(**fault))["look-first"] == look


def test_the_command_that_drains_can_be_another(campaign):
    calls = page.Calls("bin/xhpl-campaign", "/a b", "nodectl off {host}")
    found = copied(campaign, calls)
    assert f"nodectl off {HOSTS[3]}" in found["commands"] and "elsewhere" not in found
    assert found["drain-all"] == ("bin/xhpl-campaign report -C '/a b' --drain-command "
                                  "'nodectl off {host}' --yes")
    campaign["options"] = {"drain_command": "nodectl off {host}"}
    assert copied(campaign, calls)["drain-all"] == "bin/xhpl-campaign report -C '/a b' --yes"


def test_of_many_nodes_to_drain_the_first_are_shown_and_have_commands():
    found = simulated(dies=dict.fromkeys(HOSTS[:4], "died") | dict.fromkeys(
        HOSTS[4:8], "wrong") | {HOSTS[8]: "hung"})
    found["counts"] = {"ok": 16}  # no common cause
    assert [name for name in copied(found) if name.startswith("retest-")] == [
        f"retest-{i}" for i in range(8)]
    assert_said(text_of(found), "1 more", "For the others, put their names there.")


def test_the_page_of_a_second_test_names_the_first_campaign(campaign):
    """Its commands test nodes of that one, and who was drained by it is not said to be in
    service."""
    campaign["options"] = {**SLURM, "retest": [HOSTS[3]]}
    calls = page.Calls("x", "/c/retest-1-n0003", first="/c")
    text = text_of(campaign, calls=calls)
    assert_said(text, "and n0003, unless a test has done so Type as root",
                "x report -C /c/retest-1-n0003 --yes", "x retest -C /c --hosts n0003 --yes")
    assert "Nothing is drained" not in text and "1 slow, 13 ok" in text
    assert calls.anew(campaign) == "x retest -C /c --hosts n0003 --yes"


# ---- what it says -----------------------------------------------------------------


def test_it_begins_with_what_to_drain_and_why(campaign):
    campaign["hosts"][5]["differences"] = ["governor is powersave, elsewhere none"]
    (slow,) = [host for host in campaign["hosts"] if host["name"] == HOSTS[3]]
    slow["reasons"].append({"class": "ok", "text": "the inventory failed", "detail": "",
                            "runs": [], "certain": False})
    campaign["options"] = {**SSH, "retries": 8, "repeats": 3}  # 8 is the default
    text = text_of(campaign)
    assert_said(text, "Drain 3 of 16 nodes 1 wrong, 1 hung, 1 slow, 13 ok")
    for entry in campaign["drain"]:
        assert f"{entry['host']} {entry['class']} {entry['reason'][:60]}" in text
    assert "by chance" not in text.partition("Map of nodes")[0]
    assert_said(text, "What to do", "Map of nodes", "Pairs that failed have a frame.",
                "Above 100 % is better in this chart, too", "Nodes that differ from the majority",
                f"{HOSTS[5]} ok governor is powersave", "All reasons",
                "by chance a good node looks this slow", f"{HOSTS[3]} – – the inventory failed",
                "Runs that failed", f"single-1-{HOSTS[12]}", "launcher ssh repeats 3 Slow")
    assert "<code>sinfo -lR</code>" in page.make(campaign)
    assert page.make(json.loads(json.dumps(campaign))) == page.make(campaign)


def test_it_says_when_all_is_well():
    text = text_of(simulated())
    assert "All 16 nodes are ok" in text
    assert "What to do" not in text and "certain" not in text.partition("Map of")[0]
    assert "All 4 nodes are ok" in text_of(simulated(named(4)))


def test_what_is_open_is_no_node_to_drain(campaign):
    host = campaign["hosts"][0]
    host["class"] = "unknown"
    host["reasons"] = [{"class": "unknown", "text": "died with n9, and nobody knows",
                        "detail": "", "runs": ["pairs-1-x"], "certain": False}]
    campaign["open"] = summary.left_open(campaign["hosts"])
    text = text_of(campaign)
    assert_said(text, "Drain 3 of 16 nodes; test 1 again", "do not drain yet "
                f"{host['name']} unknown died with n9", f"2. Test {host['name']} again",
                "If you made the reservation of step 2, delete it before.",
                "NODE is ok : leave it in service, or put it back if it was drained")
    assert "unknown?" not in text
    campaign["options"] = SLURM  # a test is waited for once
    assert_said(text_of(campaign), "With --yes the command reserves",
                "The command reserves nodes and waits as the one above.")
    campaign["drain"] = []
    assert_said(text_of(campaign), "Drain none of 16 nodes; test 1 again",
                f"1. Test {host['name']} again")


def test_where_most_nodes_fail_it_says_to_look_for_one_cause():
    found = simulated(dies=dict.fromkeys(HOSTS[:12], "not started"))
    found["command"] = ["xhpl-campaign", "run", "--hosts", "n[1-16]", "-C", "c"]
    assert copied(found) == {"anew": "xhpl-campaign run -C campaign-again --compare "
                                     "campaign/campaign.json '--hosts=n[1-16]'"}
    assert_said(text_of(found), "Do not drain yet: 12 of 16 nodes are not started",
                "Do not drain before it is found")
    found["runs"] = []
    assert "Then the same command as before asks all nodes again." in text_of(found)


QUESTION = {"ssh": f"ssh {HOSTS[2]} uptime", "slurm": f"scontrol show node {HOSTS[2]}"}
ONLY_IF = {"ssh": "only if it does not answer",
           "slurm": "only if its state has DOWN or NOT_RESPONDING, but not DRAIN, MAINT or "
                    "RESERVED"}  # fmt: skip


def on_terminal(found, drains=False):
    found["figures"]["single"]["full"] = None
    given = types.SimpleNamespace(calls=page.Calls("x", "/c"), drain_command=drain.COMMAND,
                                  full=True, directory="/c")
    return results.said(found, given, drains)


@pytest.mark.parametrize("launcher, drains, said", (
    ("slurm", False, ("nothing is drained yet; this does it, as root", "x report -C /c --yes\n",
                      f"by these commands:\n{DRAIN.format(HOSTS[12], '')}", "leave a node drained",
                      "reserves the node and 5 good ones", "x retest -C /c --hosts NODE --yes\n")),
    ("ssh", False, ("nothing is drained yet; this does it, with Slurm as root",)),
    ("slurm", True, (f"draining these nodes:\n{DRAIN.format(HOSTS[12], '')}",))),
    ids=("slurm", "ssh", "drains"))  # fmt: skip
def test_a_terminal_shows_the_next_commands(campaign, launcher, drains, said):
    campaign["options"] = {"launcher": launcher}
    assert_said(on_terminal(campaign, drains), *said)


@pytest.mark.parametrize("launcher", QUESTION)
@pytest.mark.parametrize("slow", ({}, {HOSTS[4]: 0.7}), ids=("alone", "beside a slow node"))
def test_what_others_may_keep_is_drained_after_a_question(launcher, slow, tmp_path):
    found = simulated(slow=slow, options={"launcher": launcher}, **ASKED)
    said = on_terminal(found)
    at_once, sep, asked = said.partition(f"ask first about {HOSTS[2]}, which may be busy or kept by "
                                         f"others:\n{QUESTION[launcher]}\n{ONLY_IF[launcher]}, drain it")
    off = DRAIN.format(HOSTS[2], "not started: ")
    assert sep and off in asked and off not in at_once
    assert ("State=DRAIN 'Reason=slow" in at_once) == bool(slow)
    assert_said(asked, "else test it once it is free, by the next command",
                "x retest -C /c --hosts NODE")
    assert "report -C /c --yes" not in said
    text = drain.text(found["drain"], launcher)
    assert text.splitlines()[-1].startswith(f"# ask first: {HOSTS[2]}: not started: ")
    assert f"; drain it {ONLY_IF[launcher]}: {QUESTION[launcher]}\n" in text
    (names,) = re.findall(r"Names of those to drain at once: `(.*?)`",
                          (jobs.SOURCE / "docs/CAMPAIGN.md").read_text())  # fmt: skip
    (tmp_path / "drain.txt").write_text(text)
    assert jobs.run(["sh", "-c", names], tmp_path).succeeded().stdout.split() == list(slow)
    assert len(text.splitlines()) == 1 + len(slow)
    assert "draining these nodes:" in on_terminal(found, drains=True)


def test_ends_that_no_digit_tells_apart_are_one_number():
    assert charts.span([0.999, 1.001]) == "100\u00a0%" and "from" in charts.span([0.98, 1.001])


def test_why_a_node_has_not_started_is_told_once():
    """By the run, where Slurm told it to the inventory in other words."""
    one = Simulated(World(HOSTS, **ASKED), seed=4).single()
    one.inventory[HOSTS[2]] = {"facts": {}, "error": "srun: error: Requested nodes are busy"}
    hosts = summary.build(one.settle())["hosts"]
    (row,) = [host for host in hosts if host["name"] == HOSTS[2]]
    assert [why["class"] for why in row["reasons"]] == ["not started"]


def test_a_campaign_that_has_only_begun_has_a_page():
    one = Simulated(World(HOSTS))
    one.inventory = {}
    text = text_of(summary.build(one))
    assert "No run has ended: nothing is known of 16 nodes" in text and "16 unknown" in text
    assert "xhpl-campaign run -C" not in text


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
    assert browser.execute_script("return document.querySelectorAll('.cells i').length") == 700
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
