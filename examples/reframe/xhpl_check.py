# SPDX-License-Identifier: BSD-3-Clause
"""reframe -c xhpl_check.py -r: xhpl on a node. N is set by -S xhpl_check.n=100000;
to try every node of a system, use ReFrame's --distribute."""
import reframe as rfm
import reframe.utility.sanity as sn


@rfm.simple_test
class xhpl_check(rfm.RunOnlyRegressionTest):
    n = variable(int, value=40000)  # noqa: F821 - built into such a class
    nb = variable(int, value=256)  # noqa: F821
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    executable = "xhpl"
    num_tasks = 1

    @run_before("run")  # noqa: F821
    def set_options(self):
        self.executable_opts = ["-n", str(self.n), "--nb", str(self.nb), "-p", "1",
                                "-q", str(self.num_tasks), "--json", "run.json"]
        self.keep_files = ["run.json"]

    @sanity_function  # noqa: F821
    def residual_passed(self):
        return sn.assert_found(r"1 tests completed and passed residual", self.stdout)

    @performance_function("Gflop/s")  # noqa: F821
    def rate(self):
        return sn.extractsingle(r"^W[RC]\S+( +\S+){5} +(?P<rate>\S+)$", self.stdout,
                                "rate", float)
