"""`gpiorig firmware check` on images that lost hooks in every way we know, built here by the boards' compilers."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from commandline import gpiorig

from gpiorig.rig import resources
from gpiorig.rig.errors import BenchError, FirmwareError
from gpiorig.rig.probes import hook_files as table
from gpiorig.rig.probes.check import LOST, NOT_HERE, OK, UNUSED, Verdict, check
from gpiorig.rig.probes.image import Image, thumb_branch

# The operating system: a function and a structure that others use, too.
OS = """
struct driver { int (*init)(void); int (*send)(int); };
__attribute__((noinline)) int receive(volatile int *m) { return *m; }
static int start(void) { return 1; }
static int transmit(int x) { return x + 3; }
const struct driver radio = { start, transmit };
"""
CALLER = """
struct driver { int (*init)(void); int (*send)(int); };
extern const struct driver radio;
int receive(volatile int *m);
int elsewhere(void);
__attribute__((noinline)) int thread(volatile int *m) { return receive(m) + radio.send(*m); }
__attribute__((noinline)) int other(volatile int *m) { return receive(m + 1) - elsewhere(); }
void _start(void) { volatile int m[2] = { 0 }; thread(m); other(m); for (;;) { } }
"""
NOTHING_ELSE = "int elsewhere(void) { return 0; }\n"
GLUE = """
#define MARK(code) __asm__ inline volatile("1:\\n\\t.pushsection .debug_gpiorig,\\"\\",%%progbits\\n\\t"\\
                                           ".4byte 1b\\n\\t.2byte %c0\\n\\t.popsection" : : "i"(code))
struct driver { int (*init)(void); int (*send)(int); };
extern const struct driver __real_radio;
int __real_receive(volatile int *m);
__attribute__((noinline)) void gpiorig_init(void) { *(volatile int *)0x200 = 1; }
void gpiorig_variant_VARIANT(void) __attribute__((alias("gpiorig_init")));
int __wrap_receive(volatile int *m) { MARK(95); gpiorig_init(); return __real_receive(m); }
static int init(void) { return __real_radio.init(); }
static int send(int x) { MARK(52); MARK(53); return __real_radio.send(x); }
const struct driver __wrap_radio = { init, send };
"""
HOOKS = """
os = "test"
version = "1"
source = "this test"
glue = ["glue.c"]
[[hooks]]
symbol = "receive"
kind = "function"
points = ["queue.fetch"]
wrapped = 2
source = "this test"
[[hooks]]
symbol = "radio"
kind = "data"
points = ["driver.tx"]
source = "this test"
"""
WRAPS = ("--wrap=receive", "--wrap=radio", "--gc-sections", "--emit-relocs")


def run(*words: str | Path) -> None:
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)
    assert 0 == done.returncode, done.stderr


class Builder:
    """Builds and checks an image of three sources for a processor."""

    def __init__(self, folder: Path, processor: str) -> None:
        self.folder, self.processor = folder, processor

    def image(
        self,
        *,
        system: str = OS + NOTHING_ELSE,
        caller: str = CALLER,
        glue: str = GLUE.replace("VARIANT", "normal"),
        flags: tuple[str, ...] = ("-g",),
        link: tuple[str, ...] = WRAPS,
    ) -> Path:
        sources = {"os.c": system, "caller.c": caller, "glue.c": glue}
        compiled = ("-Os", "-ffreestanding", "-ffunction-sections", "-fdata-sections", *flags)
        for name, text in sources.items():
            (self.folder / name).write_text(text)
        paths = [self.folder / name for name in sources]
        if self.processor == "arm":
            gcc = ("arm-none-eabi-gcc", "-mcpu=cortex-m3", "-mthumb", "-nostdlib", *compiled)
            run(*gcc, *(f"-Wl,{word}" for word in link), "-o", self.folder / "image.elf", *paths)
        else:
            for path in paths:
                run("clang-16", "--target=msp430", *compiled, "-c", "-o", path.with_suffix(".o"), path)
            objects = [path.with_suffix(".o") for path in paths]
            run("ld.lld-16", "-Ttext=0x4000", *link, "-o", self.folder / "image.elf", *objects)
        return self.folder / "image.elf"

    def verdict(self, *, expected: str = HOOKS, **sources: object) -> Verdict:
        """The verdict on the image that these sources make."""
        path = self.folder / "test-1.toml"
        path.write_text(expected)
        return check(Image(self.image(**sources)), table.load(path))  # type: ignore[arg-type]


@pytest.fixture(params=["arm", "msp430"])
def builder(request: pytest.FixtureRequest, tmp_path: Path) -> Builder:
    return Builder(tmp_path, request.param)


@pytest.fixture
def arm(tmp_path: Path) -> Builder:
    return Builder(tmp_path, "arm")


def only(verdict: Verdict) -> str:
    (failure,) = verdict.failures
    return failure


def test_all_wrapped(builder: Builder) -> None:
    """Nothing fails, and every caller is counted with its place."""
    verdict = builder.verdict()

    assert () == verdict.failures
    receive, radio = verdict.findings
    assert [OK, OK] == [receive.state, radio.state]
    assert {"thread", "other"} == {site.place.name for site in receive.wrapped if site.place}
    assert all(site.call for site in receive.wrapped)
    assert 1 == len(radio.wrapped)


def test_call_in_the_same_file(arm: Builder) -> None:
    """GNU ld leaves it alone without a word; the check names the function and its file."""
    text = only(arm.verdict(system=OS + "int elsewhere(void) { static int m; return receive(&m); }"))

    assert text.startswith("receive: 1 site unwrapped, expected 0: call in elsewhere (")
    assert "os.c)" in text


def test_call_in_the_same_file_is_wrapped_by_lld(tmp_path: Path) -> None:
    """LLVM's linker wraps such a call as well, so the check has nothing to report but the count."""
    system = OS + "int elsewhere(void) { static int m; return receive(&m); }"
    text = only(Builder(tmp_path, "msp430").verdict(system=system))

    assert text.startswith("receive: 3 sites wrapped, expected 2: ")


def test_known_bypass_is_accepted(arm: Builder) -> None:
    expected = HOOKS.replace("wrapped = 2", 'wrapped = 2\nknown = ["elsewhere"]')
    system = OS + "int elsewhere(void) { static int m; return receive(&m); }"

    assert () == arm.verdict(system=system, expected=expected).failures


def test_pointer_in_an_operations_table(arm: Builder) -> None:
    """A pointer that the defining file puts into a table is called by others, past the probe."""
    table = (
        "int (*volatile operations[])(volatile int *) = { receive };\nint elsewhere(void) { return operations[0](0); }"
    )
    text = only(arm.verdict(system=OS + table))

    assert text.startswith("receive: 1 site unwrapped, expected 0: pointer in operations")


def test_static_pointer_to_a_wrapped_structure(arm: Builder) -> None:
    """Through a static variable, whose relocation names a section and no symbol."""
    text = "static const struct driver *volatile now = &radio;\nint elsewhere(void) { return now->init(); }"

    assert "radio: 1 site unwrapped, expected 0: pointer in now" in only(arm.verdict(system=OS + text))


def test_inlined_copy(arm: Builder) -> None:
    """No relocation tells of it; the debug information does."""
    system = OS.replace("__attribute__((noinline)) ", "")
    text = only(arm.verdict(system=system + "int elsewhere(void) { static int m; return receive(&m); }"))

    assert "receive: 1 site unwrapped, expected 0: inlined copy in elsewhere." in text


def test_partial_copy(arm: Builder) -> None:
    """Callers of the same file get the head of `receive` inlined and call the rest of it, receive.part.0."""
    rest = "int s = 0; for (int i = 0; i < m[1]; i++) { s = s * m[i] + m[s & 7]; m[s & 3] = i / m[2]; m[0] ^= s << i; }"
    system = OS.replace("__attribute__((noinline)) int receive", "int receive")
    system = system.replace("return *m;", f"if (!m) return 0; {rest} return s;")
    system += "int elsewhere(void) { extern int m[8]; return receive(m) + receive(m + 2); } int m[8];"
    text = only(arm.verdict(system=system, flags=("-g", "-O2")))

    assert "call in elsewhere" in text and "to the copy receive.part.0" in text


def test_symbol_vanished(builder: Builder) -> None:
    """The operating system renamed it."""
    verdict = builder.verdict(
        expected=HOOKS + '[[hooks]]\nsymbol = "msg_receive"\nkind = "function"\nsource = "a test"\n'
    )

    assert only(verdict).startswith("msg_receive: the symbol is not in the image.")


def test_module_that_is_not_there(builder: Builder) -> None:
    """A hook whose module is not in the image is not expected."""
    hook = '[[hooks]]\nsymbol = "msg_receive"\nkind = "function"\nwhen = ["gnrc_udp_init"]\nsource = "a test"\n'
    verdict = builder.verdict(expected=HOOKS + hook)

    assert () == verdict.failures
    assert NOT_HERE == verdict.findings[-1].state


def test_linker_dropped_the_wrapper(arm: Builder) -> None:
    """All callers are in the defining file, so nothing needs the wrapper."""
    caller = "int elsewhere(void); void _start(void) { elsewhere(); for (;;) { } }"
    system = OS + "int elsewhere(void) { static int m; return receive(&m) + radio.init(); }"
    keep = (*WRAPS, "-u,gpiorig_init", "-u,__wrap_radio")
    verdict = arm.verdict(system=system, caller=caller, link=keep)

    assert LOST == verdict.findings[0].state
    assert "receive: there is no __wrap_receive: call in elsewhere (" in verdict.failures[0]
    assert "-Wl,--wrap=receive" in verdict.failures[0]


def test_wrapper_that_nothing_calls(arm: Builder) -> None:
    """`-u` keeps the wrapper, and there is no call of it."""
    caller = "int elsewhere(void); void _start(void) { elsewhere(); for (;;) { } }"
    verdict = arm.verdict(caller=caller, link=(*WRAPS, "-u,__wrap_receive", "-u,__wrap_radio"))

    assert ["receive: 0 sites wrapped, expected 2", "radio: 0 sites wrapped, expected 1 or more"] == [
        failure.partition(".")[0] for failure in verdict.failures
    ]


def test_hook_that_may_be_unused(arm: Builder) -> None:
    """A wrapper that nothing calls is accepted where the hook file allows it, such as a socket of the OS."""
    caller = "int elsewhere(void); void _start(void) { elsewhere(); for (;;) { } }"
    hooks = HOOKS.replace("wrapped = 2", "wrapped = { least = 0 }").replace('"data"', '"data"\nwrapped = { least = 0 }')
    verdict = arm.verdict(caller=caller, link=(*WRAPS, "-u,__wrap_receive", "-u,__wrap_radio"), expected=hooks)

    assert () == verdict.failures
    assert [UNUSED, UNUSED] == [finding.state for finding in verdict.findings]


def test_link_time_optimisation(builder: Builder) -> None:
    """It is named as the cause, and the wraps it lost are named too (GNU ld loses them all, LLVM's keeps them)."""
    verdict = builder.verdict(flags=("-g", "-flto"), link=(*WRAPS, "-u,gpiorig_init"))

    assert verdict.problems[0].startswith("it was optimised at link time: ")
    assert LOST in [finding.state for finding in verdict.findings]


def test_no_relocations(builder: Builder) -> None:
    text = only(builder.verdict(link=WRAPS[:-1]))

    assert text.startswith("it has no relocations") and "--emit-relocs" in text


def test_probes_built_off(arm: Builder) -> None:
    """An image without the library has no probe, whatever it wraps."""
    text = arm.verdict(glue=GLUE.replace("VARIANT", "normal").replace("gpiorig_", "others_")).failures[0]

    assert text.startswith("there is no probe library in it") and "GPIORIG_OFF" in text


def test_probes_built_empty(builder: Builder) -> None:
    """A variant of the probe-effect meter shows nothing on the pins."""
    assert only(builder.verdict(glue=GLUE.replace("VARIANT", "empty"))).startswith("its probes are empty, not normal.")


def test_point_that_nothing_emits(builder: Builder) -> None:
    """The hook is there, its probe was omitted."""
    text = only(builder.verdict(glue=GLUE.replace("VARIANT", "normal").replace("MARK(53);", "")))

    assert text.startswith("radio: nothing in the image emits driver.tx.exit")


def test_point_in_code_that_the_linker_dropped(builder: Builder) -> None:
    """A marker of a dropped function does not count."""
    dropped = "void unused(void) { MARK(53); gpiorig_init(); }"
    text = only(builder.verdict(glue=GLUE.replace("VARIANT", "normal").replace("MARK(53);", "") + dropped))

    assert text.startswith("radio: nothing in the image emits driver.tx.exit")


def test_wrap_that_no_hook_has(builder: Builder) -> None:
    glue = GLUE.replace("VARIANT", "normal") + "int __real_thread(volatile int *m); int __wrap_thread(volatile int *m) "
    verdict = builder.verdict(
        glue=glue + "{ return __real_thread(m); }",
        link=(*WRAPS, "--wrap=thread", "-u,__wrap_thread".replace("-u,", "--undefined=")),
    )
    assert only(verdict).startswith("it wraps thread, which no hook of test 1 does.")
    expected = HOOKS.replace('glue = ["glue.c"]', 'glue = ["glue.c"]\nother_wraps = ["thr*"]')
    assert () == check(Image(builder.folder / "image.elf"), _load(builder.folder, expected)).failures


def test_hooks_of_ours(arm: Builder) -> None:
    """What is hung in at run time, called by a macro or put into a vector table is counted by its references."""
    ours = """
[[hooks]]
symbol = "gpiorig_operation"
kind = "runtime"
source = "this test"
[[hooks]]
symbol = "gpiorig_slot"
kind = "macro"
wrapped = 1
source = "this test"
[[hooks]]
symbol = "gpiorig_vector"
kind = "vector"
source = "this test"
"""
    glue = (
        GLUE.replace("VARIANT", "normal")
        + """
void gpiorig_slot(void) { gpiorig_init(); }
void gpiorig_vector(void) { gpiorig_slot(); }
void gpiorig_operation(void) { gpiorig_slot(); }
void (*volatile gpiorig_hung_in)(void) = gpiorig_operation;
"""
    )
    system = OS + "void gpiorig_slot(void); int elsewhere(void) { gpiorig_slot(); return 0; }"
    link = (*WRAPS, "-u,gpiorig_vector", "-u,gpiorig_hung_in")
    verdict = arm.verdict(expected=HOOKS + ours, glue=glue, system=system, link=link)

    assert [OK, OK, OK, OK, LOST] == [finding.state for finding in verdict.findings]
    assert only(verdict).startswith("gpiorig_vector: 0 sites referred to from, expected 1 or more")


@pytest.mark.slow
def test_command_names_the_culprit(arm: Builder, tmp_path: Path) -> None:
    """Status 1 and one line per lost hook; status 0 on the good image; JSON states the same."""
    (tmp_path / "test-1.toml").write_text(HOOKS)
    words = ("--os", "test", "--hooks", tmp_path / "test-1.toml")
    good = gpiorig("firmware", "check", arm.image(), *words)
    assert (0, "") == (good.status, good.stderr)
    assert "receive" in good.stdout

    elf = arm.image(system=OS + "int elsewhere(void) { static int m; return receive(&m); }")
    bad = gpiorig("firmware", "check", elf, *words, "--json")
    assert 1 == bad.status
    assert f"check failed: {elf}: receive: 1 site unwrapped" in bad.stderr
    assert [LOST, OK] == [hook["state"] for hook in bad.numbers["hooks"]]


def test_bad_input(tmp_path: Path) -> None:
    """One clear error, status 2."""
    text = tmp_path / "no.elf"
    text.write_text("no image")
    done = gpiorig("firmware", "check", text, "--os", "reference")
    assert 2 == done.status and "not an ELF image" in done.stderr
    with pytest.raises(FirmwareError, match="No such file"):
        Image(tmp_path / "absent.elf")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('kind = "data"', 'kind = "date"', "is 'date'; use "),
        ('"driver.tx"', '"driver.txx"', "no point driver.txx in the event table"),
        ('symbol = "radio"', 'symbol = "receive"', "hook receive comes twice"),
        ("wrapped = 2", "wraped = 2", "did you mean `wrapped`?"),
        ("wrapped = 2", "wrapped = -1", ">= 0"),
        ('os = "test"', 'os = "other"', "call it other-1.toml"),
    ],
)
def test_hook_file_must_be_right(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(BenchError, match=message.replace("?", r"\?").replace(">=", ">=")):
        _load(tmp_path, HOOKS.replace(old, new))


def test_every_hook_file_of_ours_loads() -> None:
    """And states where each hook comes from."""
    files = sorted(resources.hooks().glob("*.toml"))
    assert files
    for path in files:
        assert all(hook.source for hook in table.load(path).hooks)


def test_stripped(arm: Builder) -> None:
    """Lost hooks are reported; the first way of stripping is that of the images that come with gpiorig."""
    summaries = {}
    for words in ("--strip-debug --keep-section=.debug_gpiorig", "--strip-debug"):
        path = arm.image()
        run("arm-none-eabi-objcopy", *words.split(), path)
        verdict = check(Image(path), _load(arm.folder, HOOKS))
        assert ["receive"] == [finding.hook.symbol for finding in verdict.findings if finding.state == OK]
        assert "2 sites unwrapped, expected 0: pointer in init; pointer in send" in only(verdict)  # the glue
        summaries[words] = [note.partition(":")[0].partition(" (")[0] for note in verdict.notes]

    files = "it names no source files, as one that was stripped"
    some, most = summaries.values()
    assert ["no readable debug information", files] == some
    assert ["no readable debug information", files, "it has no markers"] == most
    run("arm-none-eabi-strip", path)
    with pytest.raises(FirmwareError, match=r"it has no symbols\. Check the ELF before it is stripped"):
        Image(path)


@pytest.mark.parametrize(
    ("halves", "distance"),
    [
        ((0xF000, 0xF800), 0),  # bl .+4
        ((0xF7FF, 0xFFFE), -4),  # bl .
        ((0xF000, 0xF802), 4),
        ((0xF3FF, 0xD7FF), 0x00FFFFFE),  # the farthest ahead: I1 = I2 = 1 would be negative, so J1 = J2 = 0
    ],
)
def test_thumb_branch(halves: tuple[int, int], distance: int) -> None:
    """Encodings of the ARMv7-M ARM, A7.7.18."""
    assert distance == thumb_branch(*halves)


def _load(folder: Path, text: str) -> table.HookFile:
    path = folder / "test-1.toml"
    path.write_text(text)
    return table.load(path)
