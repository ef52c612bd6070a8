# SPDX-License-Identifier: BSD-3-Clause
"""The command xhpl-campaign: its options."""
import argparse


def arguments(words=None):
    parser = argparse.ArgumentParser(
        prog="xhpl-campaign",
        description="Find the slow, wrong, dead and hanging nodes of a cluster.",
    )
    parser.add_argument("command", choices=("plan", "run", "report"))
    parser.add_argument("-C", "--directory", default="campaign", metavar="DIR",
                        help="the campaign's folder (default: campaign)")
    return parser.parse_args(words)


def main():
    arguments()
    return 0
