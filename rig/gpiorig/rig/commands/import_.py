"""`gpiorig import`: captures and logs of other tools, as a recording."""

from __future__ import annotations

import argparse
from pathlib import Path

from gpiorig.rig.recordings import inputs

EPILOG = """\
examples:
  gpiorig import capture.sr -o run1
  gpiorig import dump.vcd -o run1 --samplerate 24MHz      times are put on the nearest sample
  gpiorig import samples.bin -o run1 --samplerate 24MHz --channels strobe,d0,d1
  gpiorig import a.sr b.vcd node.log -o run1              one time base: by epoch, else by sample 0
  gpiorig import test_1234/gpiotracing.csv test_1234/serial.csv -o run1

`gpiorig info --formats` lists what can be read; docs/guide/files.md says what is assumed and rounded."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of an import."""
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE", help="of any format, of one time base")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="RUN", help="a new recording folder")
    inputs.add_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Read and record."""
    from gpiorig.rig.recordings.import_files import import_files

    files = [(path, inputs.open_file(path, options, say=False)[1]) for path in options.files]
    imported = import_files(files, options.output)
    channels = len([name for name in imported.recording.info.channels if name])
    print(
        f"{options.output}: {channels} channels, {len(imported.recording.nodes)} serial records, "
        f"from {len(files)} files"
    )
    for _, content in files:
        print(f"  {content.source}")
    for remark in imported.remarks:
        print(f"  {remark}")
    return 0
