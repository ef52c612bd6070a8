# SPDX-License-Identifier: BSD-3-Clause
"""The page that hpl-report makes of records of runs: docs/REPORT.md."""
