# SPDX-License-Identifier: BSD-3-Clause
"""The page of a campaign: what it says, and how it looks in a browser."""
import copy
import json
import re

import pytest

import campaign_sim
import report_page
import test_hpl_report_browser as browsing
from campaign_sim import Simulated, World, named
from hpl_campaign import history, page, summary
from hpl_report import foreign
from test_hpl_report_browser import browser  # noqa: F401 (a fixture)

pytestmark = pytest.mark.scripts
HOSTS = named(16)
BAD = {HOSTS[3]: "slow", HOSTS[7]: "hung", HOSTS[12]: "wrong"}


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
    assert text.count("Above 1 is better in this chart, too: it shows the median divided") == 1
    assert f"To drain {HOSTS[12]}, {HOSTS[7]} and {HOSTS[3]} Copy scontrol" in text
    for entry in campaign["drain"]:
        assert f"{entry['host']} {entry['class']} {entry['reason'][:60]}" in text


def test_it_says_when_all_is_well():
    text = text_of(simulated())
    assert "All 16 nodes are ok" in text
    assert "To drain " not in text and "Undecided:" not in text


def test_what_is_open_is_no_node_to_drain(campaign):
    host = campaign["hosts"][0]
    host["class"] = "unknown"
    host["reasons"] = [{"class": "unknown", "text": "died with n9, and nobody knows",
                        "runs": ["pairs-1-x"], "certain": False}]
    campaign["open"] = summary.left_open(campaign["hosts"])
    text = text_of(campaign)
    assert "Drain 3 of 16 nodes; 1 undecided" in text
    assert "Undecided: 1 node. Do not drain it yet" in text and "by hand" not in text
    assert f"{host['name']} unknown died with n9" in text and "unknown?" not in text
    campaign["drain"] = []
    assert "Drain none; 1 of 16 nodes undecided" in text_of(campaign)


def test_nodes_are_tested_again_as_before_beside_good_ones(campaign):
    """By the options of the campaign, those of its stages aside."""
    campaign["command"] = [
        "xhpl-campaign", "run", "--directory", "c", "--part", "debug", "--repeats", "5",
        "--seconds=60", "--full", "--slurm=--account=x y", "--drain-command", "off {host}"]
    campaign["options"] = {"launcher": "slurm"}
    campaign["hosts"][0]["class"] = "unknown"
    campaign["open"] = [{"host": HOSTS[0], "class": "unknown", "reason": "?"}]
    good = [HOSTS[i] for i in (1, 2, 4, 5, 6)]
    assert page.Calls("xhpl-campaign", "/s/c").again(campaign, campaign["open"]) == (
        f"xhpl-campaign run -C /s/c-again --hosts {','.join([HOSTS[0], *good])} "
        "--stages inventory,single,pairs --repeats 3 --launcher slurm "
        "--compare /s/c/campaign.json --partition=debug --seconds=60 '--slurm=--account=x y'")
    assert f"run -C campaign-again --hosts {HOSTS[0]}" in text_of(campaign)
    bad = ",".join(entry["host"] for entry in campaign["drain"])
    text = text_of(campaign)
    assert f"run -C campaign-repaired --hosts {bad},{good[0]}" in text
    assert ("2. Test them again, beside 5 good nodes to compare with:" in text and "of its own, beside 5 good nodes to compare with:" in text)
    for host in campaign["hosts"]:
        host["class"] = "slow" if host["name"] not in good[:1] else "ok"
    assert "beside 1 good node to" in text_of(campaign)
    campaign["command"] = ["xhpl-campaign", "--no-longer-there"]
    assert page.Calls().again(campaign, campaign["open"]).endswith("/campaign.json")


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


def test_a_long_list_is_folded():
    found = simulated(dies=dict.fromkeys(HOSTS[:12], "died"))
    assert "4 more" in text_of(found) and len(found["drain"]) == 12


def test_the_command_that_drains_can_be_another(campaign):
    calls = page.Calls("bin/xhpl-campaign", "/a b", "nodectl off {host}")
    text = report_page.text_of(page.make(campaign, calls=calls))
    assert f"nodectl off {HOSTS[3]}" in text and "Without Slurm" not in text
    assert ("bin/xhpl-campaign report -C '/a b' --drain-command 'nodectl off {host}' --yes"
            in text)
    campaign["options"] = {"drain_command": "nodectl off {host}"}
    text = report_page.text_of(page.make(campaign, calls=calls))
    assert "bin/xhpl-campaign report -C '/a b' --yes" in text


def test_who_has_no_slurm_reads_how_to_name_another_command(campaign):
    line = page.Calls("x", "/c").drain_otherwise()
    assert line == "x report -C /c --drain-command 'pbsnodes -o -C {reason} {host}'"
    text = text_of(campaign)
    assert "With another scheduler than Slurm, name its command by --drain-command." in text
    assert "The next line is an example for PBS: it writes this page again" in text
    assert line in report_page.text_of(page.make(campaign, calls=page.Calls("x", "/c")))


def test_differences_and_failed_runs_are_named(campaign):
    campaign["hosts"][5]["differences"] = ["governor is powersave, elsewhere none"]
    text = text_of(campaign)
    assert "Nodes that differ from the majority" in text
    assert f"{HOSTS[5]} ok governor is powersave" in text
    assert "Runs that failed" in text and f"single-1-{HOSTS[12]}" in text


def test_a_slow_node_of_few_is_compared_by_hand():
    """A further campaign alone could not decide."""
    found = simulated(named(4), slow={HOSTS[1]: 0.7})
    found["hosts"][0]["gflops"] = [2100.0]  # the fastest
    found["command"] += ["--rate", "2000", "--xhpl-options", "-u 1"]
    calls = page.Calls("/b/xhpl-campaign", "/c", xprobe="/b/xprobe")
    text = report_page.text_of(page.make(found, calls=calls))
    assert ("4 nodes, fewer than 5: none is slow for certain; a node 10 % below the fastest, "
            "or below 75 % of the prediction, is undecided" in text)
    assert f"1 slow?, 3 ok Undecided: 1 node. Do not drain it yet {HOSTS[1]} slow? 3" in text
    assert f"1. Compare with {HOSTS[0]}, by hand: run these commands twice" in text
    assert "plan takes 1 to 2 minutes: read the rate after \"a node\"." in text
    assert f"--hosts {HOSTS[1]},{HOSTS[0]},{HOSTS[2]}" in text
    measured = " ".join(
        f"ssh {host} /b/xprobe --ceiling /b/xhpl-campaign plan --hosts {host} --stages single "
        "--launcher ssh '--xhpl-options=-u 1'" for host in (HOSTS[1], HOSTS[0]))
    assert measured in text
    assert (f"Copy scontrol update NodeName={HOSTS[1]} State=DRAIN 'Reason=slow: [fill in] % "
            f"below {HOSTS[0]}, compared by hand'" in text)
    assert (f"2. If {HOSTS[1]} is 3.0 % or more below {HOSTS[0]} in the same number both "
            "times, drain it, with Slurm by this command." in text)
    assert "3. If it is not, keep" in text and "example for PBS" in text
    found["options"]["launcher"] = "slurm"
    found["command"] += ["--partition", "debug"]
    assert calls.by_hand(found, found["open"]).startswith(
        f"srun --exclusive --mem=0 --cpu-bind=none --nodes=1 --ntasks=1 --nodelist={HOSTS[1]} "
        "--partition=debug /b/xprobe --ceiling\n")
    found["hosts"].append({**found["hosts"][0], "name": "n5"})
    assert summary.undecided(found) == (found["open"], [])


def test_what_is_drained_beside_an_undecided_node_and_tested_again_among_few():
    """The undecided one stays; and the test says what it does not find."""
    found = simulated(named(4), slow={HOSTS[1]: 0.7}, dies={HOSTS[2]: "wrong"})
    text = text_of(found)
    assert ("Or type this one command, which runs all commands above; it drains "
            f"{HOSTS[2]} only, {HOSTS[1]} stays until decided:" in text)
    assert f"The commands for this stand below, under To drain {HOSTS[2]}" in text
    assert text.count("example for PBS") == 1
    assert "the simulation: wrong; suspect its memory, processor or device" in text
    assert "that test does not see what is less than 10 % slow" in text
    assert f"{HOSTS[2]} and {HOSTS[1]} must be less than 3.0 % below" in text
    assert "and delete its line from campaign/drain.txt" in text


SSH = {"launcher": "ssh"}
SLURM = {"launcher": "slurm"}


def test_after_the_repair_a_node_of_few_has_a_threshold():
    """Over ssh a drained node is tested as it is, by the commands at the top."""
    found = simulated(named(4), slow={HOSTS[1]: 0.8})
    found["options"] = SSH
    text = text_of(found)
    head, _, after = text.partition(f"After the repair of {HOSTS[1]}")
    assert "1. A drained node can be tested as it is" in after and "--reservation" not in after
    assert "run -C campaign-repaired --hosts" in after
    assert "So compare by hand as well, by the commands of step 1 at the top." in after
    assert f"{HOSTS[1]} must be less than 3.0 % below" in after
    assert "xprobe --ceiling" in head and "xprobe --ceiling" not in after
    assert "If the new page says that all 4 nodes are ok, the repair is done" in after
    assert f"scontrol update NodeName={HOSTS[1]} State=RESUME" in after


def test_after_the_repair_slurm_resumes_nodes_within_a_reservation(campaign):
    campaign["options"] = SLURM
    good = ",".join(HOSTS[i] for i in (0, 1, 2, 4, 5))
    bad = f"{HOSTS[12]},{HOSTS[7]},{HOSTS[3]}"
    text = text_of(campaign)
    assert (f"Flags=IGNORE_JOBS Nodes={bad},{good} scontrol update NodeName={bad} State=RESUME "
            "2. Test them again" in text)
    assert "--launcher slurm --reservation=repaired" in text
    assert ("If it names a node, drain that one again, by the commands on the new page. Then "
            "end the reservation: Copy scontrol delete ReservationName=repaired" in text)
    assert "PBS" not in text and "The same list of nodes is in campaign/drain.txt." in text
    campaign["command"] += ["--reservation", "night"]
    text = text_of(campaign)
    assert "within the reservation night, which keeps" in text and "=repaired" not in text
    assert "--reservation=night" in text and "scontrol delete" not in text


def test_after_the_repair_the_commands_by_hand_are_in_the_reservation_too():
    found = simulated(named(4), slow={HOSTS[1]: 0.8})
    found["options"] = SLURM
    after = text_of(found).partition(f"After the repair of {HOSTS[1]}")[2]
    assert f"--nodelist={HOSTS[1]} --reservation=repaired xprobe --ceiling" in after


def test_who_drains_by_another_command_undoes_that(campaign):
    campaign["options"] = SSH
    calls = page.Calls("x", "/c", "nodectl off {host}")
    text = report_page.text_of(page.make(campaign, calls=calls))
    assert ("the repair is done: undo what drained them, and delete their lines from "
            "/c/drain.txt. A node that the new page names stays drained." in text)
    assert "scontrol" not in text


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
