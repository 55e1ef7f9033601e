"""The event's folder survives any text, any cut, a full disk and two runs at once; a verdict stays."""

import errno
import json
import os
import pickle
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from tests.runner import configuration, fake
from tournament.cli import stored_config
from tournament.core.failures import RunnerError
from tournament.core.model import Board, GamePlan, GameRecord, Opening, PlayedMove, Termination
from tournament.event.event import Decision, Verdict
from tournament.event.local_executor import table_of
from tournament.event.store import Store, StoreError, completed, to_json
from tournament.play.log import Level, Logging
from tournament.stats.sprt import Sprt
from tournament.stats.standings import Totals, totals_of

ROOT = Path(__file__).resolve().parents[1]
CONFIGURATION = completed({"games": 2})
LINE_ENDS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"  # where str.splitlines splits

# Lone surrogates too: a file name that is not UTF-8 becomes a name with them.
any_text = st.text(st.one_of(st.sampled_from(LINE_ENDS), st.characters(exclude_categories=())), max_size=20)


def record_of(
    number: int, said: str = "", winner: int | None = 0, black: str = "ada", white: str = "bob"
) -> GameRecord:
    plan = GamePlan(number, (number + 1) // 2, black, white, Opening("empty", ((7, 7),)))
    moves = (PlayedMove(1, 2, 3.5, said),)
    return GameRecord(plan, Board(), moves, winner, Termination.FIVE, detail=said, warnings=(said,))


@contextmanager
def new_store() -> Iterator[Store]:
    with tempfile.TemporaryDirectory() as folder:
        yield Store(Path(folder) / "event")


def filled(store: Store, records: Sequence[GameRecord]) -> bytes:
    with store.locked():
        store.begin(CONFIGURATION)
        for record in records:
            store.append(record)
    return store.games_path.read_bytes() if records else b""


# -- any text ----------------------------------------------------------------------------------------------------------


@given(st.lists(any_text, max_size=4))
def test_any_text_of_a_brain_can_be_read_again(texts: list[str]) -> None:
    with new_store() as store:
        records = [record_of(number, text) for number, text in enumerate(texts, 1)]
        content = filled(store, records)
        assert store.load() == records
        assert len(content.decode("utf-8").splitlines()) == len(texts), "for readers that split at more than newlines"


@given(st.text(st.sampled_from(LINE_ENDS), min_size=1, max_size=5))
def test_files_with_unescaped_text_are_readable(text: str) -> None:
    with new_store() as store:
        filled(store, [])
        records = [record_of(1, text), record_of(2)]
        lines = [json.dumps({**asdict(one), "termination": "FIVE"}, ensure_ascii=False) + "\n" for one in records]
        store.games_path.write_text("".join(lines), encoding="utf-8", newline="")
        assert store.load() == records
        store.resume(CONFIGURATION)
        assert store.load() == records


# -- any cut -----------------------------------------------------------------------------------------------------------


@given(st.lists(any_text, min_size=1, max_size=4), st.data())
def test_after_any_cut_the_whole_lines_are_left_and_the_rest_is_played_again(
    texts: list[str], data: st.DataObject
) -> None:
    with new_store() as store:
        records = [record_of(number, text) for number, text in enumerate(texts, 1)]
        content = filled(store, records)
        cut = data.draw(st.integers(0, len(content)))
        store.games_path.write_bytes(content[:cut])
        whole = content[:cut].count(b"\n")
        assert store.load() == records[:whole]
        again = Store(store.folder)
        with again.locked():
            again.resume(CONFIGURATION)
            assert again.load() == records[:whole]
            for record in records[whole:]:
                again.append(record)
        assert store.games_path.read_bytes() == content


def test_a_line_that_is_no_game_is_refused_with_its_number() -> None:
    for line in (b"{}\n", b"[]\n", b"\n", b"\xff\n", b"7\n", b'{"plan": 1}\n'):
        with new_store() as store:
            content = filled(store, [record_of(1)])
            store.games_path.write_bytes(content + line)
            with pytest.raises(StoreError, match=r"games\.jsonl, line 2: not a game record"):
                store.load()


def test_a_game_that_was_written_twice_counts_once() -> None:
    with new_store() as store:
        content = filled(store, [record_of(1), record_of(2)])
        store.games_path.write_bytes(content + content)
        assert [record.plan.number for record in store.load()] == [1, 2]


# -- a full disk -------------------------------------------------------------------------------------------------------


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The disk takes as many bytes as the list says, and no more."""
    left: list[int] = []
    write = os.write

    def limited(descriptor: int, data: bytes) -> int:
        if not left:
            return write(descriptor, data)
        if not left[0]:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written = write(descriptor, data[: left[0]])
        left[0] -= written
        return written

    monkeypatch.setattr(os, "write", limited)
    return left


@pytest.mark.parametrize("taken", [0, 1, 100, len(to_json(record_of(2)))])
def test_a_game_that_does_not_fit_leaves_no_torn_line(tmp_path: Path, full_disk: list[int], taken: int) -> None:
    store = Store(tmp_path)
    content = filled(store, [record_of(1)])
    sentence = rf"game 2 cannot be saved in .*games\.jsonl: {os.strerror(errno.ENOSPC)}"
    with store.locked():
        full_disk.append(taken)
        with pytest.raises(RunnerError, match=sentence):
            store.append(record_of(2))
        assert store.games_path.read_bytes() == content
        full_disk.clear()
        with pytest.raises(RunnerError, match=sentence):  # another thread's game, after the failure
            store.append(record_of(3))
    again = Store(tmp_path)
    with again.locked():
        again.resume(CONFIGURATION)
        assert again.load() == [record_of(1)]
        again.append(record_of(2))
    assert again.load() == [record_of(1), record_of(2)]


@contextmanager
def no_more_files() -> Iterator[None]:
    """Meanwhile this process can open no file."""
    import resource

    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    first_free = os.open(os.devnull, os.O_RDONLY)
    os.close(first_free)
    resource.setrlimit(resource.RLIMIT_NOFILE, (first_free, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


@pytest.mark.posix("Windows has no resource limits")
def test_a_finished_game_is_saved_even_if_no_file_can_be_opened(tmp_path: Path) -> None:
    """The brains of other games have taken the last ones."""
    store = Store(tmp_path)
    records = [record_of(1), record_of(2)]
    with store.locked():
        store.begin(CONFIGURATION)
        with no_more_files():
            with pytest.raises(OSError, match=os.strerror(errno.EMFILE)):
                store.load()
            for record in records:
                store.append(record)
        assert store.load() == records


def test_what_games_have_in_common_is_a_plain_value_that_goes_to_any_process(tmp_path: Path) -> None:
    """Also while the store is open: of the store, only the place of the logs is sent."""
    store = Store(tmp_path, Logging(Level.FAULTS, is_compressed=True))
    with store.locked():
        store.begin(CONFIGURATION)
        table = table_of(configuration([fake("none"), fake("crash")]), store)
        copy = pickle.loads(pickle.dumps(table))
    assert copy == table
    log = copy.logs.log_of(7, "none")
    assert log is not None
    assert log.path == log.home == store.logs / "pair-00007-none.log.gz"


@pytest.mark.posix("Windows removes no file that is open")
def test_a_file_of_games_that_was_removed_stops_the_event(tmp_path: Path) -> None:
    store = Store(tmp_path)
    with store.locked():
        store.begin(CONFIGURATION)
        store.append(record_of(1))
        store.games_path.unlink()
        with pytest.raises(RunnerError, match=r"game 2 cannot be saved in .*: the file has been removed"):
            store.append(record_of(2))


@pytest.mark.parametrize("taken", [0, 5])
def test_a_full_disk_at_the_start_leaves_nothing_behind(tmp_path: Path, full_disk: list[int], taken: int) -> None:
    store = Store(tmp_path / "events" / "event")
    with store.locked():
        full_disk.append(taken)
        with pytest.raises(RunnerError, match=r"event\.json cannot be written"):
            store.begin(CONFIGURATION)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(StoreError, match="cannot be used: No space left"), store.locked():
        pytest.fail("not even the lock can be written")
    assert list(tmp_path.iterdir()) == []


# -- two runs ----------------------------------------------------------------------------------------------------------

HOLD = """
import sys, time
from pathlib import Path
from tournament.stats.sprt import Sprt
from tournament.stats.standings import Totals, totals_of
from tournament.event.store import Store
with Store(Path(sys.argv[1])).locked():
    print("locked", flush=True)
    time.sleep(600)
"""


def holder(folder: Path) -> "subprocess.Popen[str]":
    """A process that has locked the folder."""
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(folder)], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "locked\n"
    return process


def test_a_second_run_is_refused_and_told_who_has_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "event"
    with holder(folder) as process:
        with pytest.raises(StoreError, match=f"is in use by another run, PID {process.pid}$"), Store(folder).locked():
            pytest.fail("two runs")
        process.kill()
    with Store(folder).locked():
        assert (folder / "event.lock").read_text() == f"{os.getpid()}\n", "a kill leaves a file, but no lock"
    assert list(tmp_path.iterdir()) == [folder]
    assert list(folder.iterdir()) == []


CONTEND = """
import os, sys, time
from pathlib import Path
from tournament.event import lock
from tournament.event.store import Store, StoreError
lock.FOLDER_WITHIN_S = 30.0  # three others make and remove it all the time
folder, flag, held, end = Path(sys.argv[1]), sys.argv[2], 0, time.monotonic() + 1
while time.monotonic() < end or not held:
    try:
        with Store(folder).locked():
            os.close(os.open(flag, os.O_CREAT | os.O_EXCL))  # fails while another process has it
            os.unlink(flag)
            held += 1
    except StoreError as error:
        assert "in use by another run, PID " in str(error), error
print(held)
"""


def test_many_runs_that_start_and_end_at_once_never_share_the_folder(tmp_path: Path) -> None:
    """Each one makes the folder, and removes it again."""
    words = [sys.executable, "-c", CONTEND, str(tmp_path / "events" / "event"), str(tmp_path / "flag")]
    runs = [subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    assert all(int(run.communicate()[0] or -1) > 0 for run in runs)


def test_what_a_run_made_and_left_empty_is_removed(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    for folder in (tmp_path / "mine" / "event", tmp_path / "mine"):
        with Store(folder).locked():
            assert (folder / "event.lock").exists()
        assert list((tmp_path / "mine").iterdir()) == []


def test_a_folder_that_cannot_be_one_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    for folder in (tmp_path / "file", tmp_path / "file" / "event"):
        with pytest.raises(StoreError, match="cannot be used"), Store(folder).locked():
            pytest.fail("a file is no folder")
    assert (tmp_path / "file").read_text() == "mine"


class TwoRuns(RuleBasedStateMachine):
    """Two runs of one event start, play, end, and are killed in the middle of a line, in any order."""

    GAMES = 8

    def __init__(self) -> None:
        super().__init__()
        self._folder = tempfile.TemporaryDirectory()
        self._path = Path(self._folder.name) / "event"
        self._holder: int | None = None
        self._lock: AbstractContextManager[None] | None = None
        self._store = Store(self._path)
        self._saved: list[GameRecord] = []
        self._has_begun = False

    @rule(run=st.integers(0, 1))
    def start(self, run: int) -> None:
        store = Store(self._path)
        lock = store.locked()
        if self._holder is not None:
            with pytest.raises(StoreError, match=f"PID {os.getpid()}"):
                lock.__enter__()
            return
        lock.__enter__()
        self._holder, self._lock, self._store = run, lock, store
        store.resume(CONFIGURATION)
        assert store.load() == self._saved

    @rule(text=any_text)
    def play(self, text: str) -> None:
        if self._holder is not None and len(self._saved) < self.GAMES:
            self._begin()
            self._saved.append(record_of(len(self._saved) + 1, text))
            self._store.append(self._saved[-1])

    @rule(share=st.floats(0, 1))
    def kill(self, share: float) -> None:
        """The system releases the lock; half a line and the lock file are left."""
        if self._lock is not None:
            self._begin()
            line = to_json(record_of(self.GAMES + 1, "lost")).encode("ascii")
            with self._store.games_path.open("ab") as games:
                games.write(line[: int(share * len(line))])
            self.end()
            (self._path / "event.lock").write_text("999999\n")

    @rule()
    def end(self) -> None:
        if self._lock is not None:
            self._lock.__exit__(None, None, None)
            self._holder = self._lock = None

    def _begin(self) -> None:
        if not self._has_begun:
            self._store.begin(CONFIGURATION)
            self._has_begun = True

    @invariant()
    def anyone_can_read_every_game_once(self) -> None:
        assert Store(self._path).load() == self._saved

    def teardown(self) -> None:
        self.end()
        self._folder.cleanup()


TestTwoRuns = TwoRuns.TestCase
TestTwoRuns.settings = settings(max_examples=50, stateful_step_count=30)


# -- configurations ----------------------------------------------------------------------------------------------------


def test_more_games_are_the_same_event_and_fewer_are_not(tmp_path: Path) -> None:
    store = Store(tmp_path)
    filled(store, [record_of(1)])
    store.resume({**CONFIGURATION, "games": 4})
    assert store.load() == [record_of(1)]
    assert store.configuration()["games"] == 2, "until the first of them is played"
    with store.locked():
        store.begin({**CONFIGURATION, "games": 4})
    with pytest.raises(StoreError, match="games: 4 before, 2 now"):
        store.resume(CONFIGURATION)
    with pytest.raises(StoreError, match="games: 4 before, 6 now\n  seed: None before, 1 now"):
        store.resume({**CONFIGURATION, "games": 6, "seed": 1})


def test_more_games_would_change_a_knock_out(tmp_path: Path) -> None:
    store = Store(tmp_path)
    with store.locked():
        store.begin({**CONFIGURATION, "mode": "knock-out"})
    with pytest.raises(StoreError, match="games: 2 before, 4 now"):
        store.resume({**CONFIGURATION, "games": 4, "mode": "knock-out"})


@pytest.mark.parametrize("sprt", [None, Sprt(0.0, 10.0)])
def test_an_event_that_says_nothing_of_later_choices_is_resumed(tmp_path: Path, sprt: Sprt | None) -> None:
    config = replace(configuration([fake("none"), fake("stderr")], draw_after=30), sprt=sprt)
    whole = json.loads(json.dumps(config.as_json()))
    older = {key: value for key, value in whole.items() if key not in ("heads", "order", "adjudication")}
    if sprt is not None:
        del older["sprt"]["model"]
    (tmp_path / "event.json").write_text(json.dumps({**older, "draw_after": 30}))
    store = Store(tmp_path)
    store.resume(config.as_json())
    assert store.load() == []
    assert stored_config(store) == config


def test_a_configuration_that_lacks_something_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "event.json").write_text('{"games": 2}')
    with pytest.raises(StoreError, match=r"event\.json is not the configuration of an event: KeyError\('mode'\)"):
        stored_config(Store(tmp_path))


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\xfe"])
def test_a_damaged_configuration_is_one_sentence(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "event.json").write_bytes(content)
    with pytest.raises(StoreError, match=r"event\.json"):
        Store(tmp_path).resume(CONFIGURATION)


# -- the verdict -------------------------------------------------------------------------------------------------------


def lead_of_ada(totals: Totals) -> str | None:
    """A test that decides at a lead of three games, and would decide otherwise after more of them."""
    tally = totals.head_to_head("ada", "bob")
    lead = tally.wins - tally.losses
    return None if abs(lead) < 3 else f"{'ada' if lead > 0 else 'bob'} leads after {tally.games} games"


def decision_on(records: Sequence[GameRecord], store: Store, verdict: Verdict = lead_of_ada) -> Decision:
    """The decision after these games."""
    decision = Decision(verdict, store)
    for record in records:
        decision.add(record)
    return decision


def schedule(winners: Sequence[int | None]) -> list[GameRecord]:
    names = [("ada", "bob"), ("bob", "ada")]
    return [record_of(i + 1, "", winner, *names[i % 2]) for i, winner in enumerate(winners)]


def first_verdict(records: Sequence[GameRecord]) -> str | None:
    """The obvious definition: the shortest prefix of whole pairs that decides."""
    prefixes = (lead_of_ada(totals_of(records[:end])) for end in range(2, len(records) + 1, 2))
    return next((text for text in prefixes if text), None)


@given(
    st.lists(st.sampled_from([0, 1, None]), max_size=40), st.randoms(use_true_random=False), st.sets(st.integers(0, 40))
)
def test_a_verdict_depends_neither_on_the_order_of_endings_nor_on_interruptions(
    winners: list[int | None], rng: random.Random, interruptions: set[int]
) -> None:
    """Games end in another order, a few places off, as several at a time do; all games are played on regardless."""
    records = schedule(winners[: len(winners) // 2 * 2])
    ended = sorted(records, key=lambda record: record.plan.number + rng.uniform(0, 6))
    with new_store() as store, store.locked():
        store.begin(CONFIGURATION)
        decision = decision_on([], store)
        texts = []
        for i, record in enumerate(ended):
            store.append(record)
            is_killed_before_the_verdict = i in interruptions
            if is_killed_before_the_verdict:
                decision = decision_on(store.load(), store)
            else:
                decision.add(record)
            texts.append(decision.text)
        assert decision.text == store.verdict() == first_verdict(records)
        assert len(set(texts) - {None}) <= 1, "decided once"
        if decision.text is not None:
            assert decision_on(store.load(), store, lambda _: "another verdict").text == decision.text


def test_a_verdict_that_cannot_be_kept_stops_the_event(tmp_path: Path, full_disk: list[int]) -> None:
    store = Store(tmp_path)
    records = schedule([0, 1, 0, 1])
    filled(store, records)
    with store.locked():
        full_disk.append(0)
        with pytest.raises(RunnerError, match=r"verdict\.txt cannot be written"):
            decision_on(records, store)
        full_disk.clear()
        with pytest.raises(RunnerError, match=r"verdict\.txt cannot be written"):
            store.append(record_of(5))
    assert decision_on(records, Store(tmp_path)).text == "ada leads after 4 games"
