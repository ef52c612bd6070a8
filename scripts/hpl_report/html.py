# SPDX-License-Identifier: BSD-3-Clause
"""Pieces of a page. Every text from outside passes through escape."""
import html
import json
import re

from .foreign import shown_lines

NUMBER = 30  # letters of a number and its unit are fewer


def escape(text):
    """Text for a page; control characters can be seen."""
    return html.escape(shown_lines(text))


def embedded(data):
    """JSON that can stand in a <script>, whatever its texts are."""
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def cell(value):
    """A cell of a table: numbers to the right."""
    text = str(value)
    is_number = len(text) < NUMBER and (text[:1].isdigit() or text[:1] == "-")
    kind = ' class="number"' if is_number else ""
    return f"<td{kind}>{escape(text)}</td>"


def row(cells):
    first, *rest = cells
    return (
        f'<tr><th scope="row">{escape(str(first))}</th>'
        + "".join(map(cell, rest)) + "</tr>"
    )


def table(caption, head, rows):
    """A table that scrolls by itself where it is too wide."""
    heads = "".join(f'<th scope="col">{escape(h)}</th>' for h in head)
    body = "\n".join(map(row, rows))
    return (
        f'<div class="scroll" tabindex="0" role="region" '
        f'aria-label="{escape(caption)}"><table>\n'
        f"<caption>{escape(caption)}</caption>\n"
        f"<thead><tr>{heads}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>"
    )


def facts(pairs, kind=""):
    """Names and values."""
    return f'<dl class="facts {kind}">' + "\n".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(str(value))}</dd></div>"
        for name, value in pairs
    ) + "</dl>"


def marked(text):
    """Text for a page; what stands between ` is code."""
    return re.sub("`([^`]+)`", r"<code>\1</code>", escape(text))


def paragraph(text, kind=""):
    return f'<p class="{kind}">{marked(text)}</p>' if kind else f"<p>{marked(text)}</p>"


def reason(text, see):
    """What runs have in common, and where to read on."""
    return paragraph(f"{text}. See {see}." if see else f"{text}.")


def listing(items, tag="ul"):
    """A list; tag "ol" numbers its items."""
    return f"<{tag}>" + "".join(f"<li>{marked(item)}</li>" for item in items) + f"</{tag}>"


def figure(chart, data, title, says, numbers=""):
    """A chart that the page's script draws of data; says is its text."""
    more = (
        f"<details class=\"numbers\"><summary>Numbers</summary>{numbers}</details>"
        if numbers else ""
    )
    return (
        f'<figure><figcaption>{escape(title)}</figcaption>\n'
        f'<div class="chart" role="img" aria-label="{escape(title)}. {escape(says)}" '
        f'data-chart="{chart}" data-key="{escape(data)}"></div>\n'
        f'<p class="note">{escape(says)}</p>{more}</figure>'
    )


def section(name, title, *parts, level=2):
    """A part of the page; nothing without content."""
    content = "\n".join(part for part in parts if part)
    if not content:
        return ""
    return (
        f'<section aria-labelledby="{name}">\n'
        f'<h{level} id="{name}">{escape(title)}</h{level}>\n{content}\n</section>'
    )
