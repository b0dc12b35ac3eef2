"""
Shows what any decoder hands on, as text: for tests only.
"""

from .pd import Decoder
