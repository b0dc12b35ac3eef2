"""A store: recordings and points of studies, registered in a DuckDB file next to Parquet files of their tables.

A writer writes Parquet files that no query reads, and then registers them in one short transaction. So several writers
lose nothing, and one that is killed leaves files only, which `gc` deletes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from gpiorig.capture import confined
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.errors import StoreError
from gpiorig.rig.recordings.opened import open_recording
from gpiorig.rig.results import versions
from gpiorig.rig.results.analyse import analyse
from gpiorig.rig.store import catalogue, contents, entries, fingerprint, locks, schema, views
from gpiorig.rig.store.contents import NONE, Draft, Key
from gpiorig.rig.store.entries import RecordingRow, Run
from gpiorig.rig.store.outcomes import Added, Collected, Status
from gpiorig.rig.store.schema import FOLDER

if TYPE_CHECKING:
    import pyarrow as pa

    from gpiorig.analysis.evaluation.analysis import Analysis


class Store:
    """A store in a folder.

    Parameters
    ----------
    folder
        Its folder. What adds something makes the store if there is none.

    Examples
    --------
    >>> store = Store(Path("gpiorig-store"))
    >>> store.add(Path("run1")).status
    'added'
    >>> store.query("SELECT quantity, median(value) FROM quantities GROUP BY ALL").to_pylist()
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def add(self, recording: Recording | Path, *, study: str = NONE, quantities: Sequence[str] = ()) -> Added:
        """Analyse a recording and add its tables; a recording that is there with the same tables is not analysed.

        Parameters
        ----------
        recording
            A recording, or its folder.
        study
            Name under which it is found.
        quantities
            Names of quantities, in place of those that its experiment asks for.

        Raises
        ------
        StoreError
            Its capture still runs, or its files were changed after it was recorded.
        BenchError
            It has no bench, or its bench file is wrong.
        """
        if isinstance(recording, Path):
            recording = Recording.open(recording)
        row = entries.row_of(recording)
        run = Run(Key(study, NONE, row.recording), row.recording, versions.here(__name__)["gpiorig"], tuple(quantities))
        catalogue.create(self.folder)
        with catalogue.snapshot(self.folder) as connection:
            present = entries.run_of(connection, run.key) == run
            unchanged = row in entries.recordings(connection)
        if present:
            return Added(run.key, "present") if unchanged else self._register(run, row, None)
        if problems := [line for line in recording.verify() if "was changed" in line]:
            raise StoreError(f"{problems[0]}; restore it from a copy.")
        with locks.locked(self.folder, locks.WRITING, "shared"):
            draft = Draft(self.folder, run.key)
            opened = open_recording(recording)
            analysis = analyse(opened)
            table, lacking = contents.quantities_of(opened, analysis, quantities)
            draft.add_analysis(analysis)
            draft.add_quantities(table)
            added = self._register(run, row, draft)
        return replace(added, remarks=(*added.remarks, *lacking))

    def add_point(
        self,
        study_name: str,
        digest: str,
        coordinates: Mapping[str, object],
        repeat: int,
        state: str,
        quantities_parquet: Path | None = None,
        recording: Path | None = None,
        *,
        reason: str = "",
        analysis: Analysis | None = None,
    ) -> Added:
        """Add a point of a study; one that is there is replaced.

        Parameters
        ----------
        study_name, digest
            The study, and what names the point in it.
        coordinates
            Value of each axis.
        repeat
            Number of the repeat, from 0.
        state, reason
            Its state, and why it is not `done`.
        quantities_parquet
            Its quantities (`analysis.quantities.values.table`); None for a point without results.
        recording
            Its recording, if it was kept.
        analysis
            Analysis of the recording: adds the tables of packets and steps.
        """
        row = None if recording is None else entries.row_of(Recording.open(recording))
        content = b"" if quantities_parquet is None else quantities_parquet.read_bytes()
        name = row.recording if row else fingerprint.identifier(hashlib.sha256(content).hexdigest())
        run = Run(Key(study_name, digest, name), row.recording if row else None, versions.here(__name__)["gpiorig"])
        catalogue.create(self.folder)
        with locks.locked(self.folder, locks.WRITING, "shared"):
            draft = Draft(self.folder, run.key)
            if quantities_parquet is not None:
                draft.add_quantities(quantities_parquet)
            if analysis is not None:
                draft.add_analysis(analysis)
            with catalogue.transaction(self.folder) as connection:
                earlier = entries.keys(connection, "study = ? AND point = ?", [study_name, digest])
                old = self._places(path for key in earlier for path in entries.take_run(connection, key))
                if row is not None:
                    entries.put_recording(connection, row)
                entries.put_point(connection, run.key, repeat, state, reason, coordinates)
                if draft.files:
                    entries.put_run(connection, run, draft.files)
                entries.sweep(connection)
            contents.delete(old)
        return Added(run.key, "replaced" if earlier else "added")

    def query(self, sql: str) -> pa.Table:
        """The result of one SELECT (docs/reference/store.md has the tables); it reads the present state of the store.

        Raises
        ------
        StoreError
            The SQL is wrong, with DuckDB's message and the place, or would change something.
        """
        return views.answer(self.folder, sql)

    def recordings(self) -> tuple[RecordingRow, ...]:
        """All recordings, by the time at which they began."""
        with catalogue.snapshot(self.folder) as connection:
            return entries.recordings(connection)

    def open(self, recording: str, *, search: Iterable[Path] = ()) -> Recording:
        """Open a recording of the store by its name, or its first digits; one that moved is found below `search`.

        Raises
        ------
        StoreError
            It is not in the store, or not at its last place and not found.
        """
        matches = [row for row in self.recordings() if row.recording.startswith(recording)]
        if len(matches) != 1:
            raise StoreError(
                f"{self.folder}: {len(matches)} recordings begin with {recording!r}; `gpiorig store ls` lists all."
            )
        row = matches[0]
        if not row.is_there:
            self.find(search)
            row = next(entry for entry in self.recordings() if entry.recording == row.recording)
        if not row.is_there:
            raise StoreError(
                f"recording {row.recording} is not at its last place {row.place}; give a folder to search for it."
            )
        return Recording.open(Path(row.place))

    def find(self, search: Iterable[Path]) -> tuple[RecordingRow, ...]:
        """Look for recordings that are not at their places below some folders; those that were found."""
        missing = {row.fingerprint: row for row in self.recordings() if not row.is_there}
        places = {digits: str(place) for digits, place in fingerprint.search(missing, search)}
        rows = tuple(replace(missing[digits], place=place) for digits, place in places.items())
        if rows:
            with catalogue.transaction(self.folder) as connection:
                for row in rows:
                    entries.put_recording(connection, row)
        return rows

    def remove(self, *, study: str | None = None, recording: str | None = None) -> tuple[Key, ...]:
        """Remove the runs of a study or of a recording, by its first digits; recordings themselves are left alone.

        Raises
        ------
        StoreError
            There are none.
        """
        catalogue.check(self.folder)
        condition, value = ("study = ?", study) if study is not None else ("starts_with(run, ?)", recording or "")
        with locks.locked(self.folder, locks.WRITING, "shared"):
            with catalogue.transaction(self.folder) as connection:
                keys = entries.keys(connection, condition, [value or ""])
                if not keys:
                    raise StoreError(f"{self.folder}: no run of {value!r}; `gpiorig store ls` lists all.")
                old = self._places(path for key in keys for path in entries.take_run(connection, key))
                points = {(key.study, key.point) for key in keys}
                connection.executemany("DELETE FROM points WHERE study = ? AND point = ?", sorted(points))
                entries.sweep(connection)
            contents.delete(old)
        return tuple(keys)

    def gc(self) -> Collected:
        """Delete files that are not registered, when no writer is at work; forget runs whose files are gone."""
        catalogue.check(self.folder)
        tables = confined.inside(self.folder, FOLDER)
        with locks.locked(self.folder, locks.WRITING, "alone"):
            with catalogue.transaction(self.folder) as connection:
                rows = connection.execute("SELECT study, point, run, path FROM files").fetchall()
                broken = tuple(sorted({Key(*row[:3]) for row in rows if not self._is_there(row[3])}, key=str))
                gone = {path for key in broken for path in entries.take_run(connection, key)}
                entries.sweep(connection)
            registered = {path for *_, path in rows} - gone
            files = [path for path in tables.rglob("*") if path.is_file() or path.is_symlink()]
            orphans = [path for path in files if path.relative_to(tables).as_posix() not in registered]
            size = sum(path.lstat().st_size for path in orphans)
            for path in orphans:
                path.unlink()
            for path in sorted((path for path in tables.rglob("*") if path.is_dir()), reverse=True):
                if not any(path.iterdir()):
                    path.rmdir()
        return Collected(len(orphans), size, broken)

    def _places(self, paths: Iterable[str]) -> list[Path]:
        """The table files of paths in the catalogue; asked for before the change of the catalogue is final."""
        return [schema.table_file(self.folder, path, changed=True) for path in paths]

    def _is_there(self, path: str) -> bool:
        """Whether a path in the catalogue is that of a table file which is there."""
        try:
            return schema.table_file(self.folder, path).is_file()
        except StoreError:
            return False

    def _register(self, run: Run, row: RecordingRow, draft: Draft | None) -> Added:
        """Enter a run whose files were written; without a draft only the place of its recording."""
        remarks: list[str] = []
        status: Status = "added"
        with catalogue.transaction(self.folder) as connection:
            by_recording = {entry.recording: entry for entry in entries.recordings(connection)}
            before = entries.run_of(connection, run.key)
            earlier = [entry for entry in by_recording.values() if entry.place == row.place and entry != row]
            earlier = [entry for entry in earlier if entry.recording != row.recording]
            same = before == run
            old = [] if same else self._places(entries.take_files(connection, run.key))
            for entry in earlier:
                for key in entries.keys(connection, "recording = ?", [entry.recording]):
                    old += self._places(entries.take_run(connection, key))
                remarks.append(
                    f"recording {entry.recording}, which was in {row.place} before, is removed from the store."
                )
            if before is not None and not same:
                remarks.append("its tables are computed again: other code of the analysis, or other quantities.")
            if before is not None:
                status = "present" if by_recording[row.recording].place == row.place else "moved"
            if remarks:
                status = "replaced"
            if row.recording not in by_recording or by_recording[row.recording] != row:
                entries.put_recording(connection, row)
            if not same and draft is not None:
                entries.put_run(connection, run, draft.files)
            entries.sweep(connection)
        if same and draft is not None:
            draft.discard()  # another writer was faster
        contents.delete(old)
        return Added(run.key, status, tuple(remarks))
