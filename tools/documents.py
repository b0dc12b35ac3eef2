"""The pages and the manual page that git does not have, from the sources that it has: `make docs`.

They go to their places in docs/, so that their links work. Pages of git link to the sources.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# The tree's own modules, also where another gpiorig is installed.
FOLDERS = ("capture", "analysis", "rig", "rig/vbench", "rig/studies", "tools", "tests/rules", "firmware-gpio-probes")
sys.path[:0] = [str(ROOT / folder) for folder in FOLDERS]

import generate  # noqa: E402
import keys  # noqa: E402
import manual  # noqa: E402
import python_names  # noqa: E402
import results  # noqa: E402
import settings  # noqa: E402

from gpiorig.studies.points import pages, study, study_paths  # noqa: E402


def _seeds() -> str:
    """The table of all documents, from the numbers of the last complete run and the study files."""
    return pages.markdown(ROOT / "docs/evidence/studies.csv", study.load_all([*study_paths.files().values()]))


DOCUMENTS = {
    "docs/gpiorig.1": manual.page,
    "docs/seeds.md": _seeds,
    "docs/reference/events.md": generate.events_page,
    "docs/reference/keys.md": keys.keys_page,
    "docs/reference/python.md": python_names.python_page,
    "docs/reference/quantity-names.md": keys.quantities_page,
    "docs/reference/rooms.md": keys.rooms_page,
    "docs/reference/settings.md": settings.settings_page,
}


def main() -> None:
    """Write all of them, and a schema for each command with `--json`."""
    texts = {name: text() for name, text in DOCUMENTS.items()}
    texts |= {f"{results.FOLDER}/{name}.json": results.schema(name) for name in results.results()}
    shutil.rmtree(ROOT / results.FOLDER, ignore_errors=True)  # it may hold schemas of verbs that have gone
    (ROOT / results.FOLDER).mkdir()
    for name, text in texts.items():
        (ROOT / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
