"""
Waits for conditions at random and shows what comes back: for tests only.
"""

from .pd import Decoder
