"""The options of `gpiorig decoders`."""

from __future__ import annotations

import argparse
from pathlib import Path

EPILOG = """\
examples:
  gpiorig decoders install                    copy them to where sigrok-cli and PulseView look
  gpiorig decoders install --link             link to them, for who works on them
  gpiorig decoders list                       which there are, and whether they are installed
  gpiorig decoders uninstall
  gpiorig decoders wiring run1                all of -P for a recording, so that
  sigrok-cli -i run1.sr -P "$(gpiorig decoders wiring run1)" -A gpio_timeline=packets:warnings
                                              prints the round trips of `gpiorig export run1 -o run1.sr`
  gpiorig decoders wiring bench.toml --initiator m3 --responder telosb --analyzer-names
                                              the same for samples that sigrok-cli or PulseView captured alone
  gpiorig decoders wiring run1 --node responder  of the decoder gpio_probe on one node
  SIGROKDECODE_DIR=$(gpiorig decoders path) pulseview -D -c -i run1.sr
                                              without an installation"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of each verb."""
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="install|uninstall|list|path|wiring")
    install = verbs.add_parser("install", help="put them where sigrok-cli and PulseView look")
    install.add_argument("--link", action="store_true", help="link to them instead of copying")
    uninstall = verbs.add_parser("uninstall", help="delete them there; what is not ours stays")
    known = verbs.add_parser("list", help="which there are, and whether they are installed")
    path = verbs.add_parser("path", help="print their folder, for SIGROKDECODE_DIR")
    wiring = verbs.add_parser("wiring", help="print the decoder's channels and options for a recording or a bench")
    wiring.add_argument("source", type=Path, metavar="RUN|BENCH.toml")
    wiring.add_argument("--initiator", metavar="NODE", help="in place of the recording's, or of the first node")
    wiring.add_argument("--responder", metavar="NODE", help="in place of the recording's, or of the second node")
    wiring.add_argument("--node", metavar="NODE", help="of the decoder gpio_probe on this node")
    wiring.add_argument(
        "--analyzer-names", action="store_true", help="channels as the analyzer names them, not as a recording does"
    )
    for verb in (install, uninstall, known):
        verb.add_argument("--folder", type=Path, metavar="DIR", help="in place of sigrok's folder for this user")
    for verb in (known, wiring):
        verb.add_argument("--json", action="store_true", help="print one JSON object")
    for verb in (install, uninstall, known, path, wiring):
        verb.epilog = EPILOG
