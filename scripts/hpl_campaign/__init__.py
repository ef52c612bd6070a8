# SPDX-License-Identifier: BSD-3-Clause
"""The parts of xhpl-campaign: runs on the hosts of a cluster that tell which of
them are slow, wrong, dead or hanging.

Pure modules know neither clock nor files nor processes: run, stages, outcome,
judge, blame, summary, page. state keeps what happened, launch says how a run is
started, runner carries runs out, live tells of them, cli is the command.
"""
