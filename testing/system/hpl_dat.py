# SPDX-License-Identifier: BSD-3-Clause
"""HPL.dat files for the tests."""

LINES = (
    "HPLinpack benchmark input file",
    "a file of the tests",
    "HPL.out      output file name (if any)",
    "{device}     device out (6=stdout,7=stderr,file)",
    "{ns}         # of problems sizes (N)",
    "{n}          Ns",
    "{nbs}        # of NBs",
    "{nb}         NBs",
    "{pmap}       PMAP process mapping (0=Row-,1=Column-major)",
    "{grids}      # of process grids (P x Q)",
    "{p}          Ps",
    "{q}          Qs",
    "{threshold}  threshold",
    "{pfacts}     # of panel fact",
    "{pfact}      PFACTs (0=left, 1=Crout, 2=Right)",
    "{nbmins}     # of recursive stopping criterium",
    "{nbmin}      NBMINs (>= 1)",
    "{ndivs}      # of panels in recursion",
    "{ndiv}       NDIVs",
    "{rfacts}     # of recursive panel fact.",
    "{rfact}      RFACTs (0=left, 1=Crout, 2=Right)",
    "{bcasts}     # of broadcast",
    "{bcast}      BCASTs (0=1rg,1=1rM,2=2rg,3=2rM,4=Lng,5=LnM)",
    "{depths}     # of lookahead depth",
    "{depth}      DEPTHs (>=0)",
    "{swap}       SWAP (0=bin-exch,1=long,2=mix)",
    "{swapping}   swapping threshold",
    "{l1}         L1 in (0=transposed,1=no-transposed) form",
    "{u}          U  in (0=transposed,1=no-transposed) form",
    "{equil}      Equilibration (0=no,1=yes)",
    "{align}      memory alignment in double (> 0)",
)

SMALL = dict(
    device="6", n="40", nb="8", pmap="0", p="1", q="1", threshold="16.0",
    pfact="2", nbmin="4", ndiv="2", rfact="1", bcast="1", depth="0",
    swap="2", swapping="64", l1="0", u="0", equil="1", align="8",
)  # fmt: skip
COUNTS = dict(
    ns="n", nbs="nb", grids="p", pfacts="pfact", nbmins="nbmin", ndivs="ndiv",
    rfacts="rfact", bcasts="bcast", depths="depth",
)  # fmt: skip


def text(**changes):
    """A file of one small test on one process, apart from changes.

    A list is written as "1 2 3"; its count follows from it.
    """
    values = {**SMALL, **changes}
    for count, of in COUNTS.items():
        values.setdefault(count, str(len(values[of].split())))
    return "".join(line.format(**values) + "\n" for line in LINES)


def with_line(number, content, file=None):
    """file, by default the small one, with one line, from 1, replaced."""
    lines = (file or text()).splitlines()
    lines[number - 1] = content
    return "".join(line + "\n" for line in lines)
