# SPDX-License-Identifier: BSD-3-Clause
"""What the charts of a campaign's page show; campaign.js draws them."""
import math
from statistics import median

from hpl_report import html
from hpl_report.words import percent, plural

from .links import shares

ENOUGH = 40  # nodes of which a histogram tells something
MATRIX = 64  # nodes of a matrix, at most
SMALL = 24  # nodes of one that others stand beside, at most
LOWEST = 0.80  # of the median: what is slower shares a bar
OF_PAIRS = ("Each pair that was measured, as a part of the median: a bad link or port is a row "
            "and a column. Pairs that failed have a frame.")
OF_NODES = ("The median of the pairs of each node, without the share of its partners, worst "
            "first.")
INVERTED = (" Above 100 % is better in this chart, too: it shows the median divided by the "
            "latency.")
WIDTHS = (0.001, 0.002, 0.005, 0.01)  # of a bar


def middles(campaign):
    """{kind: the median of its nodes}"""
    rates = {}
    for host in campaign["hosts"]:
        if host["gflops"]:
            rates.setdefault(host["kind"], []).append(median(host["gflops"]))
    return {kind: median(found) for kind, found in rates.items()}


def relative(campaign):
    """[(median, least, most) of each node that has rates, over the median of its
    kind, and the node]; slowest first."""
    middle = middles(campaign)
    found = [([f(host["gflops"]) / middle[host["kind"]] for f in (median, min, max)],
              host) for host in campaign["hosts"] if host["gflops"]]
    return sorted(found, key=lambda entry: entry[0][0])


def span(parts):
    """The least and the most of some numbers; one where no digit tells them apart."""
    least, most = percent(min(parts)), percent(max(parts))
    return least if least == most else f"from {least} to {most}"


def ranked(campaign, data):
    """A point for each node, slowest first."""
    found = relative(campaign)
    if len(found) < 2:
        return ""
    data["ranked"] = {
        "names": [host["name"] for _, host in found],
        "classes": [host["class"] for _, host in found],
        "values": [[round(x, 4) for x in values] for values, _ in found],
        "limit": 1 - campaign["slow"], "label": "of the median of its kind"}
    return html.figure(
        "ranked", "ranked", "Rate of each node, slowest first",
        "A point is the median of a node's runs, as a part of the median of its kind: "
        f"{span([values[0] for values, _ in found])}. A thin line goes from the slowest run of "
        f"the node to its fastest. The dashed line is {percent(campaign['slow'])} below the "
        "median.")


def width_of(values):
    """Of a bar: about 12 of them hold the middle half, or more."""
    ordered = sorted(values)
    half = ordered[len(ordered) * 3 // 4] - ordered[len(ordered) // 4]
    return next((width for width in WIDTHS if width >= half / 6), WIDTHS[-1])


def histogram(campaign, data):
    """How many nodes have which rate."""
    values = [(entry[0], host["class"]) for entry, host in relative(campaign)]
    if len(values) < ENOUGH:
        return ""
    width = width_of([value for value, _ in values])
    places = [(math.floor(max(value, LOWEST - width / 2) / width), klass)
              for value, klass in values]
    first, last = min(places)[0], max(places)[0]
    classes = sorted({klass for _, klass in places}, key=lambda x: x != "ok")
    counted = {klass: [0] * (last - first + 1) for klass in classes}
    for place, klass in places:
        counted[klass][place - first] += 1
    data["histogram"] = {
        "from": [round(place * width, 4) for place in range(first, last + 1)],
        "width": width, "lowest": LOWEST, "counts": counted}
    return html.figure(
        "histogram", "histogram", "How the rates are spread",
        f"{plural(len(values), 'node')} by rate, as a part of the median of its kind. "
        f"Nodes below {percent(LOWEST)} share the first bar.")


# ---- pairs -------------------------------------------------------------------------------

OF_LINKS = (  # place in a cell, name, title, 1 if more is better
    (3, "bandwidth", "Bandwidth of pairs", 1),
    (2, "latency", "Latency of pairs", -1),
    (4, "rate", "Rate of pairs", 1),
)


def ends(parts):
    """The least and the most of parts of the median, in words."""
    return f"{span(parts).capitalize()} of the median."


def matrix(campaign, data, place, name, title, sign):
    """The matrix of all pairs, each by its part of the median; above 1 is better."""
    found = campaign["pairs"]
    cells = [(cell[0], cell[1], cell[place]) for cell in found["cells"] if cell[place]]
    middle = median(x for _, _, x in cells)
    data[name] = {
        "names": found["hosts"], "what": name,
        "cells": [[row, column, round((x / middle)**sign, 3)]
                  for row, column, x in cells],
        "failed": [[cell[0], cell[1], cell[5]] for cell in found["cells"]
                   if cell[5] != "ok"]}
    return html.figure("matrix", name, title, ends([cell[2] for cell in data[name]["cells"]])
                       + INVERTED * (sign < 0))


def rows(campaign, data, place, name, title, sign):
    """A point for each node: its pairs without the share of its partners."""
    found = campaign["pairs"]
    of = shares([(row[0], row[1], sign * math.log(row[place]))
                 for row in found["cells"] if row[place]])
    classes = {host["name"]: host["class"] for host in campaign["hosts"]}
    ordered = sorted((median(row), found["hosts"][host], row)
                     for host, row in of.items())
    data[name] = {
        "names": [host for _, host, _ in ordered],
        "classes": [classes.get(host, "unknown") for _, host, _ in ordered],
        "values": [[round(math.exp(x), 4) for x in (middle, min(row), max(row))]
                   for middle, _, row in ordered],
        "limit": None, "label": "of the median of pairs"}
    return html.figure("ranked", name, f"{title}, by node",
                       ends([value[0] for value in data[name]["values"]])
                       + INVERTED * (sign < 0))


def links(campaign, data):
    """What was measured between nodes: as a matrix while that can be read."""
    count = len(campaign["pairs"]["hosts"])
    draw = matrix if count <= MATRIX else rows
    found = "".join(
        draw(campaign, data, place, name, title, sign)
        for place, name, title, sign in OF_LINKS
        if any(cell[place] for cell in campaign["pairs"]["cells"]))
    if not found:
        return ""
    return html.paragraph(OF_PAIRS if draw is matrix else OF_NODES) + (
        f'<div class="beside">{found}</div>' if count <= SMALL else found)
