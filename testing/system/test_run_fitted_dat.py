# SPDX-License-Identifier: BSD-3-Clause
"""scripts/run-fitted, of make run, on programs that measure nothing."""
import pytest

import hpl_dat
import jobs

pytestmark = pytest.mark.scripts

PROBE = """\
#!/bin/sh
echo "cores 1"
echo "memory 1000000000"
echo "ceiling 1e11"
echo "dgemm 192 9e10"
"""

# Plans the file called "planned", and "runs" whatever HPL.dat it finds.
XHPL = """\
#!/bin/sh
while [ $# -gt 0 ]; do
    [ "$1" = --write ] && exec cp "$(dirname "$0")/planned" "$2"
    shift
done
[ -s HPL.dat ] || exit 2
echo "WR11C2R4 40 8 1 1 0.10 9.0000e+01"
echo "||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)= 1.0e-03 ...... PASSED"
"""

LAUNCHER = """\
#!/bin/sh
shift 2
exec "$@"
"""


@pytest.fixture
def run_fitted(tmp_path):
    """make run's last step, by core or numa; run.dat is the HPL.dat it uses."""
    for name, text in (("xprobe", PROBE), ("xhpl", XHPL), ("launch", LAUNCHER)):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    (tmp_path / "planned").write_text(hpl_dat.text())

    def run(unit):
        outcome = jobs.run(
            [jobs.SOURCE / "scripts/run-fitted", tmp_path, "build/run", unit],
            tmp_path,
            {"MPIRUN": str(tmp_path / "launch")},
        ).succeeded()
        assert outcome.stdout.endswith("\nPASSED\n"), str(outcome)
        return outcome

    run.dat = tmp_path / "build/run/HPL.dat"
    return run


def kept(run_fitted):
    """What was kept of the user's files, in order."""
    files = sorted(run_fitted.dat.parent.glob("HPL.dat.own.*"))
    return [file.read_text() for file in files]


@pytest.mark.parametrize("unit", ["numa", "core"])
def test_a_file_changed_by_hand_is_kept(run_fitted, unit):
    run_fitted(unit)
    fitted = run_fitted.dat.read_text()
    run_fitted.dat.write_text("mine\n")
    outcome = run_fitted(unit)
    assert kept(run_fitted) == ["mine\n"]
    assert "kept as HPL.dat.own.1\n" in outcome.stderr, str(outcome)
    assert run_fitted.dat.read_text() == fitted


@pytest.mark.parametrize("unit", ["numa", "core"])
def test_a_file_as_it_was_written_is_replaced_without_a_word(run_fitted, unit):
    for _ in range(2):
        outcome = run_fitted(unit)
    assert kept(run_fitted) == []
    assert "kept" not in outcome.stderr, str(outcome)


def test_a_second_file_does_not_take_the_place_of_the_first(run_fitted):
    for text in ("mine\n", "mine, too\n"):
        run_fitted.dat.parent.mkdir(parents=True, exist_ok=True)
        run_fitted.dat.write_text(text)
        run_fitted("numa")
    assert kept(run_fitted) == ["mine\n", "mine, too\n"]
