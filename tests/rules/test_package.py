"""The package installs: sdist and wheel of the tracked files, and the program of the wheel without its checkout."""

from __future__ import annotations

import email
import email.policy
import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import documents
import hatch_metadata
import images
import manual
import pytest
import results
import trove_classifiers
from commandline import ROOT
from elftools.elf.elffile import ELFFile
from markdown_it import MarkdownIt

PROCESSORS = {"telosb": "EM_MSP430"}  # all other boards: EM_ARM


def run(*words: str | Path, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """A command that must succeed."""
    done = subprocess.run(
        [str(word) for word in words],
        cwd=folder,
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | environment,
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert 0 == done.returncode, f"{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
    return done


@pytest.fixture(scope="module")
def sources() -> Iterator[Path]:
    """A copy of the tracked files: what a clone has, and nothing that was built in this one.

    Its place is the same in each run, for cargo compiles sources of another place again.
    """
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    place = ROOT / "build" / "test-package"
    with images.lock(place):
        shutil.rmtree(folder := place / "clone", ignore_errors=True)
        for name in tracked.split("\0")[:-1]:
            if (ROOT / name).exists():  # not deleted since
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, folder / name)
        yield folder
        shutil.rmtree(folder)


@pytest.fixture(scope="module")
def sdist(sources: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sdist of the clone."""
    folder = tmp_path_factory.mktemp("sdist")
    run(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", folder, folder=sources)
    (archive,) = folder.iterdir()
    return archive


@pytest.fixture(scope="module")
def wheel(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel that pip builds from the sdist; cargo may take what it has compiled from the same sources before."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = (sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation")
    run(*pip, "-w", folder, sdist, folder=folder, CARGO_TARGET_DIR=str(ROOT / "target"))
    (archive,) = folder.iterdir()
    return archive


@pytest.fixture(scope="module")
def virtual_wheel(sources: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of the virtual bench, which is built in the clone."""
    folder = tmp_path_factory.mktemp("virtual-wheel")
    pip = (sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation")
    run(*pip, "-w", folder, sources / "rig" / "vbench", folder=folder, CARGO_TARGET_DIR=str(ROOT / "target"))
    (archive,) = folder.iterdir()
    return archive


@pytest.fixture(scope="module")
def contents(wheel: Path, virtual_wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """What is in the wheels, by distribution."""
    folders = {"gpiorig": tmp_path_factory.mktemp("core"), "gpiorig-vbench": tmp_path_factory.mktemp("virtual")}
    for path, folder in zip((wheel, virtual_wheel), folders.values(), strict=True):
        with zipfile.ZipFile(path) as archive:
            archive.extractall(folder)
    return folders


@pytest.fixture(scope="module")
def installed(wheel: Path, virtual_wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `gpiorig` of an environment with both wheels."""
    return environment(tmp_path_factory.mktemp("bare"), wheel, virtual_wheel)


def environment(folder: Path, *wheels: Path) -> Path:
    """The `gpiorig` of an environment with wheels.

    Its dependencies are those of this environment, by links to all that is installed there but gpiorig.
    """
    venv.create(folder / "venv", with_pip=False)
    python = folder / "venv" / "bin" / "python"
    (folder / "others").mkdir()
    for path in Path(pytest.__file__).parents[1].iterdir():
        if "gpiorig" not in path.name and path.suffix != ".pth":
            (folder / "others" / path.name).symlink_to(path)
    (site,) = (folder / "venv" / "lib").glob("python*/site-packages")
    (site / "others.pth").write_text(f"{folder / 'others'}\n")
    pip = (sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", "--no-index")
    run(*pip, *wheels, folder=folder)
    return folder / "venv" / "bin" / "gpiorig"


@pytest.mark.slow
def test_the_sdist_holds_sources_only(sdist: Path) -> None:
    """Every file is text, but the pictures of the documents; tests stay in the repository."""
    with tarfile.open(sdist) as archive:
        files = {member.name.partition("/")[2]: archive.extractfile(member) for member in archive if member.isfile()}
        binary = [name for name, file in files.items() if file and b"\0" in file.read()]

    assert [] == [name for name in binary if not re.fullmatch(r"docs/figures/[\w-]+\.png", name)]
    assert [] == [name for name in files if "tests" in Path(name).parts]
    assert {"Cargo.lock", "LICENSE", "experiments/pingpong.toml", "firmware-gpio-probes/Makefile"} <= files.keys()
    made = documents.DOCUMENTS.keys() | {f"{results.FOLDER}/{name}.json" for name in results.results()}
    assert made <= files.keys(), "a wheel that is built from it has them from there"


@pytest.mark.slow
@pytest.mark.parametrize("distribution", ["gpiorig", "gpiorig-vbench"])
def test_a_wheel_says_which_platform_it_is_for(
    wheel: Path, virtual_wheel: Path, contents: dict[str, Path], distribution: str
) -> None:
    """Any Python 3, or any CPython from 3.11 on; one machine, and the glibc that the libraries ask for."""
    name, folder = {"gpiorig": wheel, "gpiorig-vbench": virtual_wheel}[distribution].name, contents[distribution]
    python = {"gpiorig": "cp311-abi3", "gpiorig-vbench": "py3-none"}[distribution]
    pattern = rf"gpiorig(?:_vbench)?-[\d.]+-({python}-(?:manylinux_(\d+)_(\d+)|linux)_(\w+))\.whl"
    tag = re.fullmatch(pattern, name)
    assert tag is not None, name
    description = next(folder.glob("*.dist-info/WHEEL")).read_text()
    assert "Root-Is-Purelib: false" in description
    assert f"Tag: {tag[1]}\n" in description
    assert os.uname().machine == tag[4]
    # An oracle of its own: the names of versions as they stand in the libraries.
    asked = [re.findall(rb"GLIBC_(\d+)\.(\d+)\b", path.read_bytes()) for path in folder.rglob("*.so")]
    assert max((int(major), int(minor)) for versions in asked for major, minor in versions) == (
        int(tag[2]),
        int(tag[3]),
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("distribution", "components", "libraries"),
    [
        (
            "gpiorig",
            ("capture", "analysis", "rig"),
            {"capture/libgpiorig_native.so", "analysis/decoderhost/native.abi3.so"},
        ),
        ("gpiorig-vbench", ("rig/vbench",), {"vbench/boards/libvboards.so", "vbench/ends/libusbbus.so"}),
    ],
)
def test_a_wheel_holds_what_the_program_needs(
    sources: Path, contents: dict[str, Path], distribution: str, components: tuple[str, ...], libraries: set[str]
) -> None:
    """The package's own files, byte for byte, stripped libraries, and no tests."""
    folder = contents[distribution]
    here = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    for component in components:
        for path in (sources / component / "gpiorig").rglob("*"):
            if path.is_file() and path.suffix != ".pyc":  # compiled where `make docs` imported it
                assert path.read_bytes() == here[path.relative_to(sources / component).as_posix()].read_bytes()
    assert {f"gpiorig/{name}" for name in libraries} == {name for name in here if name.endswith(".so")}
    for name in libraries:
        sections = sections_of(here[f"gpiorig/{name}"])
        assert ".dynsym" in sections
        assert [] == [section for section in sections if section.startswith(".debug") or section == ".symtab"]
    assert [] == [name for name in here if "tests" in name or "__pycache__" in name]


@pytest.mark.slow
def test_the_wheel_holds_the_files_that_are_no_python(sources: Path, contents: dict[str, Path]) -> None:
    """Decoders, experiments, hooks; the documents."""
    folder = contents["gpiorig"]
    data = {name: name for name in ("decoders", "experiments")} | {"hooks": "firmware-gpio-probes/hooks"}
    for name, origin in data.items():
        expected = sorted(path.relative_to(sources / origin) for path in (sources / origin).rglob("*.*"))
        packed = sorted(path.relative_to(folder / "gpiorig/rig/data" / name)
                       for path in (folder / "gpiorig/rig/data" / name).rglob("*.*"))  # fmt: skip
        assert expected and expected == packed
    (share,) = folder.glob("*.data/data/share")
    assert manual.page() == (share / "man/man1/gpiorig.1").read_text()
    for name, text in documents.DOCUMENTS.items():
        assert text() == (share / "doc/gpiorig" / Path(name).relative_to("docs")).read_text(), name


@pytest.mark.slow
def test_the_manifest_is_of_the_images(sources: Path, contents: dict[str, Path]) -> None:
    """Every board and kernel, with normal probes; without debug information, which is most of an image."""
    folder = contents["gpiorig-vbench"] / "gpiorig/vbench/images"
    manifest: dict[str, Any] = json.loads((folder / "manifest.json").read_text())
    boards = {path.stem for path in (contents["gpiorig"] / "gpiorig/rig/boards").glob("*.toml")}

    names = {f"{board}{kind}" for board in boards for kind in ("", "-threads", "-certify")}
    assert names | {"iotlab-m3-w1", "nrf52840dk-w1"} == manifest.keys()
    assert {f"{name}.elf" for name in manifest} | {"manifest.json"} == {path.name for path in folder.iterdir()}
    for name, entry in manifest.items():
        image = folder / f"{name}.elf"
        assert entry["sha256"] == hashlib.sha256(image.read_bytes()).hexdigest()
        assert name.removesuffix("-w1").removesuffix("-certify") == entry["board"] + (
            "" if entry["kernel"] == "events" else f"-{entry['kernel']}"
        )
        assert ("normal", 64) == (entry["probes"], len(entry["sha256_with_debug_information"]))
        assert re.search(r"\d+\.\d+", entry["compiler"]) and f'"{entry["board"]}"' in entry["flags"]
        assert str(sources) not in entry["flags"], "where it was built is nobody's concern, and makes builds differ"
        with image.open("rb") as file:
            assert PROCESSORS.get(entry["board"], "EM_ARM") == ELFFile(file)["e_machine"]
        sections = sections_of(image)
        assert {".symtab", ".debug_gpiorig"} <= set(sections), "`gpiorig firmware check` reads these"
        assert ".debug_info" not in sections


@pytest.mark.slow
def test_the_installed_program(installed: Path, tmp_path: Path) -> None:
    """Outside the checkout: whatever is imported is the wheel's, and commands find what they need by name."""
    script = (
        "import sys, gpiorig.rig, gpiorig.capture, gpiorig.analysis;"
        "print(*[part.__file__ for part in (gpiorig.rig, gpiorig.capture, gpiorig.analysis)], *sys.path)"
    )
    imported = run(installed.with_name("python"), "-c", script, folder=tmp_path).stdout
    assert str(installed.parents[1]) in imported
    assert str(ROOT / "rig") not in imported and str(ROOT / "capture") not in imported

    def gpiorig(*words: str | Path) -> str:
        return run(installed, *words, folder=tmp_path).stdout

    numbers = json.loads(gpiorig("demo", "--packets", "20", "--json"))
    assert (20, 20) == (numbers["packets_sent"], numbers["packets_timelined"])
    assert (tmp_path / "demo" / "report" / "report.html").stat().st_size > 100_000
    assert "gpio_timeline" in gpiorig("decode", "--install", "--folder", tmp_path / "decoders")
    assert (tmp_path / "decoders" / "gpio_timeline" / "pd.py").is_file()
    checked = json.loads(gpiorig("firmware", "check", "iotlab-m3-threads", "--os", "reference", "--json"))
    assert checked["good"] and str(installed.parents[1]) in checked["image"]
    listed = json.loads(gpiorig("firmware", "list", "--json"))
    assert listed["telosb"]["sha256"] == hashlib.sha256(Path(listed["telosb"]["file"]).read_bytes()).hexdigest()
    assert "two virtual IoT-LAB M3: virtual bench; the file is consistent" in gpiorig("bench", "check", "demo")
    gpiorig("run", "demo", "pingpong", "--packets", "20", "--no-report", "-o", "run1")
    assert f'"{listed["iotlab-m3"]["sha256"]}"' in (tmp_path / "run1" / "recording.toml").read_text()


@pytest.mark.slow
def test_a_script_of_a_user_is_typed(wheel: Path, tmp_path: Path) -> None:
    """Mypy --strict passes on the names of the wheel, and notices one that it does not have."""
    script = (ROOT / "tests" / "api" / "typed_script.py").read_text()
    mypy = (sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path / "cache")
    mypy = (*mypy, "--python-executable", environment(tmp_path, wheel).with_name("python"))
    (tmp_path / "script.py").write_text(script)
    run(*mypy, "script.py", folder=tmp_path)

    (tmp_path / "script.py").write_text(f"{script}gpiorig.open('run').nosuch\n")
    done = subprocess.run([*mypy, "script.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert 'error: "Recording" has no attribute "nosuch"  [attr-defined]' in done.stdout


@pytest.mark.slow
def test_what_an_index_shows(wheel: Path) -> None:
    """A page without a link that leads nowhere, extras of users, and classifiers that there are."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        metadata = email.message_from_bytes(archive.read(name), policy=email.policy.default)

    extras = {"virtual", "studies", "pytest", "labgrid", "telosb", "joulescope", "pandas"}
    assert extras == set(metadata.get_all("Provides-Extra", []))
    assert "text/markdown" == metadata["Description-Content-Type"]
    assert {f"Programming Language :: Python :: 3.{minor}" for minor in (11, 12, 13, 14)} <= {
        *metadata.get_all("Classifier", [])
    }
    assert set(metadata.get_all("Classifier", [])) <= trove_classifiers.classifiers
    page = MarkdownIt("gfm-like", {"linkify": False}).render(str(metadata.get_content()))
    assert "<h1>gpiorig</h1>" in page and "<table>" in page
    assert [] == [place for place in re.findall(r'(?:href|src)="([^"]*)"', page) if "://" not in place]


def test_distributions_have_one_version() -> None:
    """Each is for that version of gpiorig, which has an extra for it; the classifiers exist."""
    folders = {"vbench": "virtual", "studies": "studies", "pytest-gpiorig": "pytest"}
    core = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for folder, extra in folders.items():
        project = tomllib.loads((ROOT / "rig" / folder / "pyproject.toml").read_text())["project"]
        assert core["version"] == project["version"]
        assert f"gpiorig=={core['version']}" in project["dependencies"]
        assert [f"{project['name']}=={core['version']}"] == core["optional-dependencies"][extra]
        assert set(project["classifiers"]) <= trove_classifiers.classifiers


def test_the_page_has_addresses_once_there_is_a_repository() -> None:
    """Links and the picture then lead into it; without one words stay, and the picture goes with its caption."""
    text = "![a picture](docs/a.png)\n\n*What it\nshows.*\n\nSee [the\npages](docs/README.md), [x](https://x.org).\n"

    assert "\nSee the\npages, [x](https://x.org).\n" == hatch_metadata.rendered(text, "")
    with_addresses = hatch_metadata.rendered(text, "https://y.org/gpiorig")
    assert "![a picture](https://y.org/gpiorig/raw/HEAD/docs/a.png)\n\n*What it" in with_addresses
    assert "[the\npages](https://y.org/gpiorig/blob/HEAD/docs/README.md), [x](https://x.org)" in with_addresses
    assert {"Source", "Documentation", "Changelog"} == hatch_metadata.urls("https://y.org/gpiorig").keys()
    assert {} == hatch_metadata.urls("")


@pytest.mark.slow
def test_the_core_alone(wheel: Path, tmp_path: Path) -> None:
    """It has no image and no virtual bench, and names what has; the two wheels are of one version."""
    program = environment(tmp_path, wheel)
    for words in (
        ("demo",),
        ("run", "demo", "pingpong", "-o", "run"),
        ("firmware", "check", "telosb", "--os", "reference"),
    ):
        done = subprocess.run([program, *words], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (2, 1) == (done.returncode, done.stderr.count("gpiorig-vbench")), done.stderr
        assert "Run `pip install 'gpiorig[virtual]'`." in done.stderr
    assert {} == json.loads(run(program, "firmware", "list", "--json", folder=tmp_path).stdout)
    described = [tomllib.loads((ROOT / name / "pyproject.toml").read_text())["project"] for name in ("", "rig/vbench")]
    core, virtual = described
    assert core["version"] == virtual["version"]
    assert [f"gpiorig=={core['version']}"] == virtual["dependencies"]
    assert [f"gpiorig-vbench=={core['version']}"] == core["optional-dependencies"]["virtual"]


@pytest.fixture(scope="module")
def hook() -> ModuleType:
    """The build hook."""
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "tools" / "hatch_build.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("missing", ["cargo", "strip"])
def test_a_machine_without_rust(
    hook: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    """One error, with the remedy, before anything is compiled."""
    for program in {"cargo", "rustc", "cc", "strip"} - {missing}:
        (tmp_path / program).symlink_to("/bin/false")
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(hook.BuildError, match=f"{missing} is missing. Run `apt-get install cargo rustc"):
        hook.build_libraries(ROOT, tmp_path, ["vboards"])


@pytest.mark.parametrize("missing", ["make", "arm-none-eabi-gcc"])
def test_a_machine_without_a_compiler(
    hook: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    """As well; what is missing is named."""
    for program in {"make", "sh"} - {missing}:
        (tmp_path / program).symlink_to(shutil.which(program) or "")
    (tmp_path / "python3").symlink_to(sys.executable)
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(hook.BuildError, match=rf"there is no {missing}.*Run `apt-get install make gcc-arm-none-eabi"):
        hook.build_images(ROOT, tmp_path)


def test_a_library_that_needs_more_than_glibc(hook: ModuleType, tmp_path: Path) -> None:
    """Makes the wheel one for machines like this one, with no further condition."""
    (tmp_path / "a.c").write_text('#include <stdlib.h>\nint a(void) { return atoi(getenv("A")); }\n')
    compiler = ("cc", "-shared", "-fPIC", tmp_path / "a.c", "-Wl,--no-as-needed", f"-L{tmp_path}")
    run(*compiler, "-o", tmp_path / "libother.so", folder=tmp_path)
    run(*compiler, "-o", tmp_path / "liba.so", "-lother", folder=tmp_path)

    assert re.fullmatch(r"manylinux_2_\d+_\w+", hook.platform_of([tmp_path / "libother.so"]))
    assert f"linux_{os.uname().machine}" == hook.platform_of([tmp_path / "libother.so", tmp_path / "liba.so"])


def sections_of(path: Path) -> list[str]:
    """Names of the sections of an ELF file."""
    with path.open("rb") as file:
        return [section.name for section in ELFFile(file).iter_sections()]
