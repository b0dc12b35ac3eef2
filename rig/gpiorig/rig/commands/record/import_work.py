"""`gpiorig import`: captures and logs of other tools, as a recording."""

from __future__ import annotations

import argparse

from gpiorig.analysis.number_text import count_text
from gpiorig.rig.recordings import inputs, standing
from gpiorig.rig.recordings.import_files import import_files


def run(options: argparse.Namespace) -> int:
    """Read and record."""
    files = [(path, inputs.open_file(path, options, remarks=False)[1]) for path in options.files]
    imported = import_files(files, options.output)
    channels = len([name for name in imported.recording.info.channels if name])
    print(
        f"{options.output}: {count_text(channels, 'channel')}, "
        f"{count_text(len(imported.recording.nodes), 'serial record')}, from {count_text(len(files), 'file')}"
    )
    for _, content in files:
        print(f"  {content.source}")
    for remark in imported.remarks:
        print(f"  {remark}")
    return int(not standing.announced(options.output).is_complete)
