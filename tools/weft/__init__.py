# SPDX-License-Identifier: MIT
"""What the programs in tools/ share. Python 3.8 and newer, the standard library only."""
