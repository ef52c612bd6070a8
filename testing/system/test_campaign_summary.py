# SPDX-License-Identifier: BSD-3-Clause
"""What is made of the classes of hosts: campaign.json, and the commands that drain."""
import json

import pytest

import campaign_sim
import jobs
from campaign_sim import Simulated, World, named
from campaign_site import SCHEMA
from hpl_campaign import drain, summary

pytestmark = pytest.mark.scripts
HOSTS = named(8)


@pytest.fixture(scope="module")
def campaign():
    """With a wrong host, and one with a bad link."""
    one = Simulated(World(HOSTS, noise=0.005, dies={HOSTS[2]: "wrong"},
                          link={HOSTS[5]: 0.2}), seed=2)
    return summary.build(one.single().pairs().settle())


def test_the_summary_has_counts_those_to_drain_pairs_and_figures(campaign):
    assert campaign["counts"] == {"wrong": 1, "slow": 1, "ok": 6}
    assert [(entry["host"], entry["class"]) for entry in campaign["drain"]] == [
        (HOSTS[2], "wrong"), (HOSTS[5], "slow")]
    assert campaign["open"] == []
    pairs = campaign["pairs"]
    assert pairs["hosts"] == HOSTS
    row, column, latency, bandwidth, gflops, outcome = pairs["cells"][0]
    assert row != column and outcome == "ok" and latency < 1e-3 < bandwidth < 1e12
    kind, = campaign["figures"]["single"]["kinds"]
    assert kind["count"] == 7 and kind["least"] <= kind["median"] <= kind["most"]
    assert campaign["figures"]["pairs"]["bandwidth"]["least"] < 3e9


def test_the_commands_to_drain_take_names_and_reasons_as_they_are():
    entry = {"host": "n1; rm -rf /", "class": "slow", "reason": "$(id) 'x'\nn2"}
    words, = drain.commands([entry], "drain {host} --why={reason} {other}")
    assert words == ["drain", "n1; rm -rf /", "--why=slow: $(id) 'x'\\nn2", "{other}"]
    assert drain.shown([entry]).count("\n") == 1
    assert drain.text([entry]) == "n1; rm -rf /  # slow: $(id) 'x'\\nn2\n"


def test_a_long_reason_is_cut_behind_a_clause():
    short, rest = "slow: " + "a" * 200, "b" * 200
    for reason, kept in ((f"{'a' * 200}; {rest}", short), ("a" * 400, "slow: " + "a" * 244)):
        words, = drain.commands([{"host": "n1", "class": "slow", "reason": reason}], "{reason}")
        assert words == [kept]


def test_commands_are_shown_as_a_shell_reads_them(tmp_path):
    entry = {"host": "n1", "class": "hung", "reason": "it's `hung`; $HOME"}
    shown = drain.shown([entry], "printf '%s\\n' {host} {reason}")
    outcome = jobs.run(["sh", "-c", shown], tmp_path).succeeded()
    assert outcome.stdout == "n1\nhung: it's `hung`; $HOME\n", shown


def test_the_summary_fits_its_schema(campaign):
    SCHEMA.validate(campaign)
    assert json.loads(summary.text(campaign)) == campaign
    SCHEMA.validate(summary.build(campaign_sim.large(60)))
    SCHEMA.validate(summary.build(Simulated(World(HOSTS))))
