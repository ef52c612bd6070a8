# SPDX-License-Identifier: BSD-3-Clause
"""What scripts/xhpl-sim is made of."""
