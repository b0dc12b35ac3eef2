"""A bench on another machine: `gpiorig run` is started there over SSH, and its recording is fetched."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import uuid
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import tomli_w

from gpiorig.capture import confined
from gpiorig.capture.atomic_file import replacing
from gpiorig.capture.errors import FormatError
from gpiorig.rig.bench import benches
from gpiorig.rig.errors import BenchError
from gpiorig.studies.plans import attempt, outcome
from gpiorig.studies.plans.attempt import Watch
from gpiorig.studies.plans.ends import OPTIONS, End, experiment_tree
from gpiorig.studies.plans.folders import DIGITS, Folders
from gpiorig.studies.plans.outcome import Outcome
from gpiorig.studies.plans.plan_file import PlanBench
from gpiorig.studies.points.folder import PointFolder
from gpiorig.studies.points.work import Task

HOME = "gpiorig-points"  # where recordings are there until they are fetched, below the home folder
SHORT_S = 60.0  # a command that does little there is done within this
FETCH_S = 3600.0  # fetching a recording is
FETCH_ERRORS = (OSError, subprocess.SubprocessError, FormatError)
SSH_FAILED = 255  # the status of ssh when it is ssh that failed (ssh(1), EXIT STATUS)

# The program ends when our end of its input is closed, by whatever. The size of the folder shows that it works.
START = """\
exec 3<&0
{command} </dev/null 3<&- & run=$!
echo $run >{folder}/running
( cat <&3; kill -TERM $run ) >/dev/null 2>&1 & input=$!
( while kill -0 $run; do du -sk {folder} >&4; sleep 5; done ) 4>&2 >/dev/null 2>&1 & size=$!
wait $run; status=$?
rm -f {folder}/running
kill $input $size 2>/dev/null
exit $status"""
# Without a connection, a run may still be about to end there, or not know that it has none; a machine that was switched
# off leaves the mark.
PACK = """\
ended() {{
    left={patience_s}
    while test -e {folder}/running && test $left -gt 0; do sleep 1; left=$((left - 1)); done
    test ! -e {folder}/running
}}
if ! ended; then
    run=$(cat {folder}/running)
    if grep -qs {folder} /proc/$run/cmdline; then
        kill -TERM $run
        ended || {{ echo "a run there, process $run, does not end" >&2; exit 1; }}
    fi
fi
test -d {folder} || exec tar -cf - -T /dev/null
cd {folder}
if test -d run; then tar -cf - run; else tar -cf - experiment.toml; fi"""


@dataclass(frozen=True, slots=True)
class Address:
    """The parts of ``ssh://[USER@]HOST[:PORT]/PATH``."""

    host: str
    port: int | None
    path: str

    @classmethod
    def of(cls, text: str) -> Address:
        """Raises `BenchError` for another form, and for a host that ssh would read as an option."""
        try:
            parts = urlsplit(text)
            host, port = parts.netloc.rpartition(":")[0] if parts.port else parts.netloc, parts.port
        except ValueError as error:
            raise BenchError(f"{text}: {error}. Write ssh://HOST/PATH.") from error
        if not host or host.startswith("-") or len(parts.path) < 2:
            raise BenchError(f"{text}: write ssh://[USER@]HOST[:PORT]/PATH, such as ssh://lab/home/me/bench.toml.")
        return cls(host, port, parts.path)


class Remote(End):
    """A bench file on another machine.

    Parameters
    ----------
    given
        As the plan has it.
    copy
        Where a copy of its file is on this machine; it is read there at each start that reaches it.
    """

    def __init__(self, given: PlanBench, copy: Path) -> None:
        self._bench, self._address = given, Address.of(given.file)
        if shutil.which(given.ssh[0]) is None:
            raise BenchError(f"{given.file}: the program {given.ssh[0]} is not installed (apt: openssh-client).")
        self._read(copy)
        super().__init__(benches.load(copy), copy)

    def _read(self, copy: Path) -> None:
        """Copy the bench file, or leave an earlier copy without a connection."""
        try:
            text = self._ask(f"cat {shlex.quote(self._address.path)}")
        except (OSError, subprocess.SubprocessError) as error:
            if not copy.exists():
                raise BenchError(
                    f"{self._bench.file}: cannot be read: {_text(error)}. Look whether `ssh {self._address.host}` "
                    "works, and whether the file is there."
                ) from error
            return
        copy.parent.mkdir(parents=True, exist_ok=True)
        with replacing(copy) as new:
            new.write_bytes(text)

    takes_changes = False

    def remote_folder(self, task: Task, attempt_number: int) -> str:
        """Each attempt of each plan has its own."""
        return f"{HOME}/{task.point.digest[:DIGITS]}-{attempt_number}-{uuid.uuid4().hex[:8]}"

    def run(self, task: Task, attempt_number: int, remote_folder: str, folders: Folders, watch: Watch) -> Outcome:
        """Run there, fetch what there is, and delete it there when it is here."""
        host, recording = self._address.host, PointFolder(task.folder).recording
        try:
            self._send(task, remote_folder)
        except (OSError, subprocess.SubprocessError) as error:
            return Outcome("connection", f"{host}: {_text(error)}")
        command = self._command(START.format(command=self._start(remote_folder), folder=remote_folder))
        ended = attempt.run(command, watch, output=folders.output, log=folders.log(task.point.digest, attempt_number))
        try:
            self._fetch(remote_folder, recording)
        except FETCH_ERRORS as error:
            reason = _text(error)
            why = ended.ended_by or Outcome("disk" if outcome.FULL in reason else "connection", f"{host}: {reason}")
            text = f"{why.text}; the recording is in ~/{remote_folder} of {host} until it is fetched"
            return Outcome(why.cause, text, remote_folder=remote_folder)
        if ended.ended_by is not None:
            return ended.ended_by
        if ended.status == SSH_FAILED:
            return Outcome("connection", f"{host}: {outcome.last_words(ended.status, ended.stderr)}")
        return outcome.of_experiment(ended.status, ended.stdout, ended.stderr, recording)

    def fetch(self, remote_folder: str, recording: Path) -> bool:
        """As after a run; False without a connection, or where links are in the recording."""
        try:
            self._fetch(remote_folder, recording)
        except FETCH_ERRORS:
            return False
        return True

    def sign(self, folder: Path, log: Path) -> object:
        """The size of the folder there, as the last line states it."""
        lines = log.with_name(f"{log.name}.stderr").read_bytes().splitlines()
        return lines[-1] if lines else b""

    def _send(self, task: Task, folder: str) -> None:
        """Make the folder, and write the experiment file into it."""
        text = tomli_w.dumps(experiment_tree(task.point)).encode()
        self._ask(f"mkdir -p {folder} && cat >{folder}/experiment.toml", text)

    def _start(self, folder: str) -> str:
        words = [*self._bench.gpiorig, "run", self._address.path, f"{folder}/experiment.toml", *OPTIONS]
        return shlex.join([*words, "-o", f"{folder}/run"])

    def _fetch(self, remote_folder: str, folder: Path) -> None:
        """Copy the recording in one step, unless it is here; it is deleted there when all of it is here.

        Raises
        ------
        subprocess.SubprocessError
            It cannot be copied, or cannot be deleted there.
        FormatError
            There is a link or a special file in it: it stays there.
        """
        if not folder.exists():
            new = folder.with_name(f"{folder.name}.new")
            shutil.rmtree(new, ignore_errors=True)
            new.mkdir(parents=True)
            try:
                self._copy(remote_folder, new)
                confined.check_tree(new)
                if (new / "run").is_dir():
                    (new / "run").replace(folder)
            finally:
                shutil.rmtree(new)
        self._ask(f"rm -rf {remote_folder}")

    def _copy(self, remote_folder: str, folder: Path) -> None:
        """Copy what is in a folder there once no run works in it."""
        pack = self._command(PACK.format(folder=remote_folder, patience_s=round(attempt.END_S)))
        with subprocess.Popen(
            pack, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as sender:  # fmt: skip
            unpack = ["tar", "-xf", "-", "-C", str(folder)]
            try:
                unpacked = subprocess.run(
                    unpack, stdin=sender.stdout, capture_output=True, timeout=FETCH_S, check=False
                )
            except subprocess.TimeoutExpired:
                sender.kill()
                raise
            assert sender.stderr is not None
            complaint = sender.stderr.read()
        for status, text in ((sender.returncode, complaint), (unpacked.returncode, unpacked.stderr)):
            if status:
                raise subprocess.CalledProcessError(status, "tar", stderr=text)

    def _ask(self, script: str, text: bytes = b"") -> bytes:
        """Run a script there that takes no time; what it prints."""
        command = self._command(script)
        return subprocess.run(command, input=text, capture_output=True, timeout=SHORT_S, check=True).stdout

    def _command(self, script: str) -> list[str]:
        """The command that runs a script of sh there, in the home folder."""
        port = ["-p", str(self._address.port)] if self._address.port else []
        return [*self._bench.ssh, *port, self._address.host, f"sh -c {shlex.quote(f'cd; {script}')}"]


def _text(error: Exception) -> str:
    """The words of ssh, or of a program that cannot be started."""
    if isinstance(error, subprocess.CalledProcessError):
        return outcome.last_words(error.returncode, error.stderr.decode(errors="replace"))
    if isinstance(error, subprocess.TimeoutExpired):
        return f"no answer within {error.timeout:g} s"
    return str(error)
