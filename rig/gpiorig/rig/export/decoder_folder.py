"""Our sigrok decoders: where they lie, and putting them where sigrok-cli and PulseView look."""

from __future__ import annotations

import ast
import filecmp
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from gpiorig.rig import resources
from gpiorig.rig.errors import RigError

_MARK = "part of gpiorig"  # in the head of every file of ours
_HEAD_BYTES = 512
_PYTHON = "*.py"

ABSENT, CURRENT, LINKED, OLD, FOREIGN = "not installed", "installed", "linked", "another version", "not ours"


@dataclass(frozen=True, slots=True)
class Decoder:
    """One of our decoders.

    Attributes
    ----------
    name
        Its id, and the name of its folder.
    folder
        Its place.
    summary
        A line of description.
    """

    name: str
    folder: Path
    summary: str


def source() -> Path:
    """The folder of our decoders; as ``$SIGROKDECODE_DIR`` it serves without an installation."""
    folder = resources.decoders()
    if not (folder / "gpio_probe").is_dir():
        raise RigError(f"the decoders are missing from {folder}; install gpiorig again.")
    return folder


def default_target() -> Path:
    """Where sigrok looks for the decoders of a user (libsigrokdecode 0.5.3, srd.c, srd_init)."""
    data = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(data) / "libsigrokdecode" / "decoders"


def shipped() -> list[Decoder]:
    """All our decoders, by name."""
    folders = sorted(path.parent for path in source().glob("*/pd.py"))
    return [Decoder(folder.name, folder, _summary(folder / "pd.py")) for folder in folders]


def state(decoder: Decoder, target: Path) -> str:
    """What lies at the decoder's place in a folder of decoders."""
    place = target / decoder.name
    if place.is_symlink() and place.resolve() == decoder.folder.resolve():
        return LINKED
    if not place.exists() and not place.is_symlink():
        return ABSENT
    if not _is_ours(place):
        return FOREIGN
    names = sorted(path.name for path in decoder.folder.glob(_PYTHON))
    same = names == sorted(path.name for path in place.glob(_PYTHON))
    return CURRENT if same and not any(filecmp.cmpfiles(decoder.folder, place, names, shallow=False)[1:]) else OLD


def install(target: Path, *, link: bool) -> list[Decoder]:
    """Copy all decoders into a folder, or link to them; older ones of ours are replaced.

    Raises
    ------
    RigError
        A third-party decoder has the same id; then nothing is changed.
    """
    decoders = shipped()
    _refuse_foreign(decoders, target)
    target.mkdir(parents=True, exist_ok=True)
    for decoder in decoders:
        place = target / decoder.name
        fresh = target / f".{decoder.name}.new"
        _delete(fresh)
        if link:
            fresh.symlink_to(decoder.folder.resolve(), target_is_directory=True)
        else:
            shutil.copytree(decoder.folder, fresh, ignore=shutil.ignore_patterns("__pycache__"))
        _delete(place)
        fresh.rename(place)
    return decoders


def uninstall(target: Path) -> list[Decoder]:
    """Delete our decoders from a folder; what is not ours stays."""
    gone = [decoder for decoder in shipped() if state(decoder, target) in (CURRENT, LINKED, OLD)]
    for decoder in gone:
        _delete(target / decoder.name)
    return gone


def _refuse_foreign(decoders: list[Decoder], target: Path) -> None:
    foreign = [decoder.name for decoder in decoders if state(decoder, target) == FOREIGN]
    if foreign:
        raise RigError(
            f"{target}: {', '.join(foreign)} there is not ours and would be replaced; move it away, "
            "or install elsewhere with --folder."
        )


def _is_ours(place: Path) -> bool:
    """Whether a decoder's first file states that it belongs to gpiorig; a link that leads nowhere was a checkout's."""
    if place.is_symlink() and not place.exists():
        return True
    try:
        with (place / "__init__.py").open("rb") as file:
            return _MARK.encode() in file.read(_HEAD_BYTES)
    except OSError:
        return False


def _delete(place: Path) -> None:
    if place.is_symlink() or place.is_file():
        place.unlink()
    elif place.exists():
        shutil.rmtree(place)


def _summary(file: Path) -> str:
    """The `desc` of a decoder, read without running it: it needs sigrok's own Python."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Assign) and [getattr(target, "id", "") for target in node.targets] == ["desc"]:
            return str(ast.literal_eval(node.value))
    return ""
