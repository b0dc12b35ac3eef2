"""Finds decoders where libsigrokdecode does, and loads them apart from the modules of this program.

A decoder's modules have an `__import__` of their own: the names in decoder folders and `sigrokdecode` are theirs,
all others are Python's. So nothing of a decoder is in `sys.modules`, and a `sigrokdecode` from PyPI does no harm.
"""

from __future__ import annotations

import builtins
import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from gpiorig.analysis.decoderhost import sigrokdecode_module
from gpiorig.analysis.decoderhost.errors import DecoderError

if TYPE_CHECKING:
    from gpiorig.analysis.decoderhost import native

INSTALLED = Path("/usr/share/libsigrokdecode/decoders")  # compiled into Debian's libsigrokdecode
SUBFOLDER = Path("libsigrokdecode", "decoders")
API_VERSION = 3


def search_path(environment: Mapping[str, str] = os.environ) -> tuple[Path, ...]:
    """Return the folders of decoders, the first one first (libsigrokdecode 0.5.3, `srd_init`)."""
    home = environment.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    system = environment.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share"
    folders = [Path(home) / SUBFOLDER, INSTALLED, *(Path(folder) / SUBFOLDER for folder in system.split(":"))]
    if own := environment.get("SIGROKDECODE_DIR"):
        folders.insert(0, Path(own))
    return tuple(dict.fromkeys(folder for folder in folders if folder.is_dir()))


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Kind:
    """A loaded decoder.

    Attributes
    ----------
    id
        Name of its folder.
    type
        Its class.
    channels
        Ids of its channels, the required ones first.
    required
        How many of them are required.
    options
        Default of each option.
    values
        Values that an option may have, where it has a list.
    annotations
        Ids of the annotation classes.
    rows
        Annotation classes of each annotation row.
    binaries
        Ids of the binary classes.
    inputs, outputs
        What it takes and what it gives to the decoder above.
    """

    id: str
    type: type[native.Decoder]
    channels: tuple[str, ...]
    required: int
    options: dict[str, str | int | float]
    values: dict[str, tuple[str | int | float, ...]]
    annotations: tuple[str, ...]
    rows: dict[str, tuple[int, ...]]
    binaries: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    @property
    def is_radio(self) -> bool:
        """Whether it takes transfers of an SPI bus and gives MAC frames."""
        return "spi" in self.inputs and "ieee802154" in self.outputs


class Library:
    """The decoders of some folders.

    Parameters
    ----------
    folders
        Where to look, the first one first.
    """

    def __init__(self, folders: Sequence[Path]) -> None:
        self.folders = tuple(folders)
        self._modules: dict[str, ModuleType] = {"sigrokdecode": sigrokdecode_module.module()}
        self._builtins = {**vars(builtins), "__import__": self._import}
        self._kinds: dict[str, Kind] = {}

    def ids(self) -> tuple[str, ...]:
        """Return the names of all decoders that are there, loadable or not."""
        ids = {path.parent.name for folder in self.folders for path in folder.glob("*/pd.py")}
        return tuple(sorted(ids))

    def load(self, decoder_id: str) -> Kind:
        """Load a decoder.

        Raises
        ------
        DecoderError
            It is not there, its code fails, or it is not a decoder of API version 3.
        """
        if decoder_id not in self._kinds:
            self.check(decoder_id)
            self._kinds[decoder_id] = self._loaded(decoder_id)
        return self._kinds[decoder_id]

    def check(self, decoder_id: str) -> None:
        """Raise `DecoderError` if there is no folder of a decoder of this name."""
        if self._file(decoder_id) is None:
            looked = ", ".join(str(folder) for folder in self.folders) or "no folder, for none exists"
            raise DecoderError(
                f"there is no decoder {decoder_id!r}; looked in {looked} (SIGROKDECODE_DIR names another folder)"
            )

    def _loaded(self, decoder_id: str) -> Kind:
        try:
            loaded = self._module(decoder_id)
            kind = loaded.Decoder
            if not (isinstance(kind, type) and issubclass(kind, self._modules["sigrokdecode"].Decoder)):
                raise DecoderError("its class Decoder is not a sigrokdecode.Decoder")
            if kind.api_version != API_VERSION:  # type: ignore[attr-defined]
                raise DecoderError(f"it is of API version {kind.api_version}")  # type: ignore[attr-defined]
            return _describe(decoder_id, kind)
        except Exception as error:  # whatever the code of a decoder raises
            where = self._file(decoder_id)
            raise DecoderError(f"the decoder {decoder_id!r} ({where}) cannot be loaded: {_said(error)}") from error

    def _file(self, name: str) -> Path | None:
        """Where the source of a module, by its full name, lies; None: not in these folders."""
        if not name:
            return None
        for folder in self.folders:
            path = folder.joinpath(*name.split("."))
            if (path / "__init__.py").is_file():
                return path / "__init__.py"
            if path.with_suffix(".py").is_file() and path.suffix == "":
                return path.with_suffix(".py")
        return None

    def _module(self, name: str) -> ModuleType:
        """Return a module of the folders, loaded once, its parents first."""
        if name in self._modules:
            return self._modules[name]
        parent, _, child = name.rpartition(".")
        if parent:
            self._module(parent)
        path = self._file(name)
        if path is None:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        module = ModuleType(name)
        is_package = path.name == "__init__.py"
        module.__dict__.update(
            __file__=str(path), __package__=name if is_package else parent, __builtins__=self._builtins
        )
        if is_package:
            module.__path__ = [str(path.parent)]
        self._modules[name] = module
        try:
            with warnings.catch_warnings(action="ignore"):  # "\\s" in a string and the like: not for our users
                code = compile(path.read_bytes(), str(path), "exec", dont_inherit=True)
            exec(code, module.__dict__)
        except BaseException:
            del self._modules[name]
            raise
        if parent:
            setattr(self._modules[parent], child, module)
        return module

    def _import(
        self,
        name: str,
        globals: Mapping[str, Any] | None = None,
        locals: Mapping[str, Any] | None = None,
        fromlist: Sequence[str] = (),
        level: int = 0,
    ) -> ModuleType:
        """Import as `__import__` does, for the modules of decoders."""
        if level:
            package = str((globals or {})["__package__"]).rsplit(".", level - 1)[0]
            name = f"{package}.{name}" if name else package
        top = name.partition(".")[0]
        if top not in self._modules and self._file(top) is None:
            return __import__(name, globals, locals, fromlist, level)
        module = self._module(name)
        if not fromlist:
            return self._modules[top]
        for attribute in fromlist:
            if attribute != "*" and not hasattr(module, attribute) and self._file(f"{name}.{attribute}"):
                self._module(f"{name}.{attribute}")
        return module


def _said(error: Exception) -> str:
    text = str(error)
    return text if isinstance(error, DecoderError) else f"{type(error).__name__}: {text}"


def _describe(decoder_id: str, kind: type[native.Decoder]) -> Kind:
    for method in ("reset", "start", "decode"):
        if not callable(getattr(kind, method, None)):
            raise DecoderError(f"it has no {method}()")
    declared = {
        name: getattr(kind, name, ()) for name in ("channels", "optional_channels", "options", "annotation_rows")
    }
    options = [option for option in declared["options"] if "default" in option]
    return Kind(
        id=decoder_id,
        type=kind,
        channels=tuple(channel["id"] for channel in (*declared["channels"], *declared["optional_channels"])),
        required=len(declared["channels"]),
        options={option["id"]: option["default"] for option in options},
        values={option["id"]: tuple(option["values"]) for option in options if "values" in option},
        annotations=tuple(entry[0] for entry in getattr(kind, "annotations", ())),
        rows={row[0]: tuple(row[2]) for row in declared["annotation_rows"]},
        binaries=tuple(entry[0] for entry in getattr(kind, "binary", ())),
        inputs=tuple(kind.inputs),  # type: ignore[attr-defined]
        outputs=tuple(kind.outputs),  # type: ignore[attr-defined]
    )
