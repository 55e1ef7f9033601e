"""A study from its first game to its page: the same counts from the same seed, nothing lost, readable everywhere."""

import csv
import itertools
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pbrain import cli
from pbrain.library.digest import digest, stamp_of
from pbrain.library.native import Library
from pbrain.study import command as study_command
from pbrain.study import measure
from pbrain.study.claims import all_claims
from pbrain.study.events import Entrant, Event, EventError, play, read_games
from pbrain.study.measure import (
    CountError,
    Progress,
    SearchSet,
    Study,
    comparisons,
    paired_searches,
    search_sets,
    warm_searches,
)
from pbrain.study.measured import Measured
from pbrain.study.plan import FULL, QUICK
from pbrain.study.process import Brain, BrainError
from pbrain.study.sample import Sample
from pbrain.study.store import Store
from pbrain.study.systems import BOUNDARY, KANAME, MINIMAX, NAMES, THREAT, command
from pbrain.study.variants import Variants, library_path
from tests.browser import DESKTOP, Page
from tests.fake_engine import __file__ as fake_engine_file
from tests.study_events import TINY, prepare

SIGNATURE = "0123abcd"
PHONE = 390
POSITION = ((7, 7), (8, 8), (7, 8), (8, 7), (6, 6), (9, 9))


def ignore(_progress: Progress) -> None:
    """Nobody watches."""


@pytest.fixture(scope="module", autouse=True)
def shallow_seconds() -> Iterator[None]:
    """A second's depth is sought no further than this: each depth takes a process for each brain."""
    patch = pytest.MonkeyPatch()
    patch.setattr(measure, "MAX_SECOND_DEPTH", 2)
    yield
    patch.undo()


@pytest.fixture(scope="module")
def finished(library: Library, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a tiny study."""
    folder = prepare(tmp_path_factory.mktemp("study") / "tiny")
    study_command.run(folder, TINY, 1, library, SIGNATURE, ignore)
    return folder


def copy_of(folder: Path, to: Path) -> Path:
    shutil.copytree(folder, to)
    return to


def measured_in(folder: Path, library: Library) -> Measured:
    study = Study(folder, TINY, 1, library, ignore)
    study.run()
    return Measured(study)


def counts_in(folder: Path) -> dict[str, list[Any]]:
    """All measurements of fixed depth, without their times."""
    entries = map(json.loads, (folder / "measurements.jsonl").read_text().splitlines())
    return {
        entry["key"]: [sample.counts for values in entry["value"] for sample in samples_of(values)]
        for entry in entries
        if "for a second" not in entry["key"]
    }


def samples_of(values: list[Any]) -> list[Sample]:
    """The sample of a search, or both of a comparison."""
    return list(map(Sample.from_json, values)) if isinstance(values[0], list) else [Sample.from_json(values)]


# -- counts ------------------------------------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_counts(finished: Path, library: Library, tmp_path: Path) -> None:
    """A study of a few depths, beside the one that has them all."""
    few = replace(TINY, depths={KANAME: (3,), MINIMAX: (2,), BOUNDARY: (3,), THREAT: (2,)}, idea_depths={})
    Study(prepare(tmp_path / "again"), few, 1, library, ignore).run()
    again, before = counts_in(tmp_path / "again"), counts_in(finished)
    assert len(again) == len(search_sets(few)) + len(comparisons(few)) == 6
    assert again == {key: before[key] for key in again}


def test_another_seed_chooses_other_positions(finished: Path, library: Library) -> None:
    studies = [Study(finished, TINY, seed, library, ignore) for seed in (1, 2)]
    for study in studies:
        study.games = read_games(finished / "games")
    assert studies[0].positions() != studies[1].positions()


def test_counts_that_change_are_an_error() -> None:
    nodes = iter(range(100))

    def search(_position: object) -> Sample:
        return Sample(1, next(nodes), 0, 1.0, True, (0, 0))

    with pytest.raises(CountError, match="the same search gave"):
        warm_searches(search, [POSITION])


def test_the_search_that_warms_up_counts_only_if_it_was_faster() -> None:
    times = iter([9.0, 5.0, 6.0])

    def search(_position: object) -> Sample:
        return Sample(1, 1, 0, next(times), True, (0, 0))

    assert [sample.ms for sample in warm_searches(search, [POSITION, POSITION])] == [5.0, 6.0]


def test_compared_searches_take_turns() -> None:
    order: list[str] = []
    times = {"a": iter([99.0, 5.0, 4.0, 7.0, 8.0]), "b": iter([99.0, 2.0, 3.0, 6.0, 1.0])}

    def search(name: str) -> Sample:
        order.append(name)
        return Sample(1, 1, 0, next(times[name]), True, (0, 0))

    pairs = paired_searches(lambda _: search("a"), lambda _: search("b"), [POSITION, POSITION], 2)
    assert [[sample.ms for sample in pair] for pair in pairs] == [[4.0, 2.0], [7.0, 1.0]]
    assert "".join(order) == "ab" * 5


# -- nothing is lost ---------------------------------------------------------------------------------------------------


def test_a_torn_end_is_measured_again_and_nothing_else(finished: Path, library: Library, tmp_path: Path) -> None:
    folder = copy_of(finished, tmp_path / "torn")
    path = folder / "measurements.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-1]) + lines[-1][:20])
    study_command.run(folder, TINY, 1, library, SIGNATURE, ignore)
    after = path.read_bytes().splitlines(keepends=True)
    assert after[:-1] == lines[:-1]
    assert json.loads(after[-1])["key"] == json.loads(lines[-1])["key"]


def test_an_interrupted_study_goes_on(finished: Path, library: Library, tmp_path: Path) -> None:
    folder = prepare(tmp_path / "interrupted")

    def interrupt(progress: Progress) -> None:
        if progress.doing == "minimax to depth 1":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        study_command.run(folder, TINY, 1, library, SIGNATURE, interrupt)
    kept = (folder / "measurements.jsonl").read_bytes()
    assert kept.count(b"\n") == len(TINY.depths["kaname"])
    rest = (finished / "measurements.jsonl").read_bytes().splitlines(keepends=True)[kept.count(b"\n") :]
    (folder / "measurements.jsonl").write_bytes(kept + b"".join(rest))
    done: list[Progress] = []
    study_command.run(folder, TINY, 1, library, SIGNATURE, done.append)
    assert (folder / "measurements.jsonl").read_bytes().startswith(kept)
    assert done[-1].done == done[-1].planned
    assert [progress.done for progress in done] == sorted(progress.done for progress in done)


def test_a_damaged_line_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "measurements.jsonl").write_text('{"key": "a", "value": 1}\n{"value": 2}\n')
    with pytest.raises(ValueError, match=r"measurements\.jsonl, line 2: not a measurement"):
        Store(tmp_path)


def test_other_settings_are_refused(finished: Path, library: Library, tmp_path: Path) -> None:
    folder = copy_of(finished, tmp_path / "settings")
    before = (folder / "study.html").read_bytes()
    with pytest.raises(ValueError, match="was begun with seed 1, not 2: use those, or another folder"):
        study_command.run(folder, TINY, 2, library, SIGNATURE, ignore)
    with pytest.raises(ValueError, match='was begun with signature "0123abcd", not "ffffffff"'):
        study_command.run(folder, TINY, 1, library, "ffffffff", ignore)
    assert (folder / "study.html").read_bytes() == before


# -- brains and games --------------------------------------------------------------------------------------------------


def test_a_brain_tells_what_it_searched() -> None:
    with Brain(command(BOUNDARY, 2)) as brain:
        samples = [brain.search(POSITION) for _ in range(2)]
    assert samples[0].counts == samples[1].counts
    assert samples[0].depth == 2
    assert samples[0].nodes > 13
    assert samples[0].move not in POSITION


def test_a_brain_that_tells_nothing_or_ends_is_an_error() -> None:
    with Brain([sys.executable, fake_engine_file, "none"]) as brain, pytest.raises(BrainError, match="not told of a"):
        brain.search(POSITION)
    with pytest.raises(BrainError, match="has ended"), Brain([sys.executable, "-c", "pass"]):
        pass


def test_the_runner_plays_what_is_missing(tmp_path: Path) -> None:
    entrants = [Entrant(name, command(name, 1)) for name in ("threat", "boundary")]
    event = Event("small", entrants, 2, "100s", 1, [[(0, 0), (1, 1), (-1, 0)]])
    seen: list[int] = []
    games = play(event, tmp_path, seen.append)
    assert [game.names for game in games] == [("threat", "boundary"), ("boundary", "threat")]
    assert max(seen) == 2
    assert {turn.depth for game in games for turn in game.turns if turn.is_searched} == {1}
    assert [game.opening for game in games] == [((7, 7), (8, 8), (6, 7))] * 2
    seen.clear()
    assert play(event, tmp_path, seen.append) == games
    assert not seen, "nothing is played twice"


def test_what_the_runner_refuses_is_told(tmp_path: Path) -> None:
    event = Event("bad", [Entrant("a", ["/nowhere/brain"]), Entrant("b", ["/nowhere/brain"])], 2, "1s", 1)
    with pytest.raises(EventError, match="nowhere"):
        play(event, tmp_path, lambda _: None)
    (tmp_path / "bad").mkdir(exist_ok=True)
    (tmp_path / "bad" / "games.jsonl").write_text("{}\n")
    with pytest.raises(EventError, match="a line that is no game"):
        read_games(tmp_path / "bad")


# -- features ----------------------------------------------------------------------------------------------------------


def test_features_are_measured_where_they_can_be_built(tmp_path: Path) -> None:
    assert Variants(tmp_path, is_wanted=False).names == ()
    wanted = Variants(tmp_path, is_wanted=True)
    assert "singular" in wanted.names
    assert wanted.refusal == ""


def test_libraries_that_are_there_are_not_built_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for feature in ("singular", "killers"):
        path = library_path(tmp_path, feature)
        path.touch()
        stamp_of(path).write_text(digest(path.name))
    monkeypatch.setattr("pbrain.study.variants.build_without", None)
    assert list(Variants(tmp_path, is_wanted=True).build(["singular", "killers"])) == ["singular", "killers"]


@pytest.mark.slow
def test_missing_libraries_are_built_side_by_side(tmp_path: Path) -> None:
    variants = Variants(tmp_path, is_wanted=True)
    assert sorted(variants.build(["singular", "killers"])) == ["killers", "singular"]
    for feature in ("singular", "killers"):
        assert f"without-{feature}" in variants.library(feature).path.name
    assert len(list(tmp_path.iterdir())) == 4, "one library each, and its stamp"


def test_without_a_compiler_features_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pbrain.library.build.REQUIREMENTS", {"no-such-package": "1.0"})
    missing = Variants(tmp_path, is_wanted=True)
    assert missing.names == ()
    assert "no-such-package 1.0" in missing.refusal


# -- tables and claims -------------------------------------------------------------------------------------------------


def test_the_tables_hold_every_search_and_move(finished: Path) -> None:
    tables = {
        path.stem: list(csv.reader(path.read_text(encoding="utf-8").splitlines())) for path in finished.glob("*.csv")
    }
    assert set(tables) == {"searches", "depths", "seconds", "moves", "ideas", "features", "claims", "systems"}
    for name, rows in tables.items():
        assert {len(row) for row in rows} == {len(rows[0])}, name
    assert len(tables["searches"]) == 1 + sum(len(samples) for samples in counts_in(finished).values())
    games = [json.loads(line) for path in finished.glob("*/games.jsonl") for line in path.read_bytes().splitlines()]
    assert len(tables["moves"]) == 1 + sum(len(game["moves"]) for game in games)
    assert [row[0] for row in tables["systems"][1:]] == list(NAMES)


def test_the_table_for_the_readme_has_the_four_systems(finished: Path) -> None:
    lines = (finished / "systems.md").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "| system | depth in 1 s | nodes per second | time to depth 4 | score in the round robin |"
    assert [line.split("|")[1].strip() for line in lines[2:]] == list(NAMES)


def test_every_claim_of_the_documents_is_checked(finished: Path, library: Library) -> None:
    found = {(claim.document, claim.claim, claim.claimed) for claim in all_claims(measured_in(finished, library))}
    times = {1: "0.24 s", 2: "1.65 s", 3: "24.57 s", 4: "1 to 3 s", 5: "over 30 s"}
    assert {("001", f"time to depth {depth}", claimed) for depth, claimed in times.items()} <= found
    assert ("001", "time saved by the table, middle and late game", "30 to 50 %") in found
    assert ("001", "nodes saved by ordering", "40 to 60 %; in theory 50 to 75 %") in found
    assert ("001", "branching factor smaller than with all 225 cells", "7 to 11 times") in found
    assert ("002", "time of a move at depth 2", "about 2 s") in found
    assert ("002", "time of a move at depth 0", "less than 0.5 s") in found
    assert ("000", "searches to depth 3 within 2 s", "always") in found


def test_leaving_out_incremental_evaluation_leaves_the_counts(finished: Path, library: Library) -> None:
    measured = measured_in(finished, library)
    for name in ("minimax", "boundary", "threat"):
        assert measured.worth(name, "incremental").nodes == pytest.approx((1.0, 1.0, 1.0))
    assert measured.worth("minimax", "pruning").nodes.value > 1


def test_plans_measure_what_the_page_and_the_readme_need() -> None:
    for plan in (QUICK, FULL):
        sets = search_sets(plan)
        assert len(set(sets)) == len(sets)
        assert {SearchSet(name, 4) for name in NAMES} <= set(sets)
        assert {SearchSet(BOUNDARY, depth) for depth in range(1, 6)} <= set(sets)


# -- the page ----------------------------------------------------------------------------------------------------------


def opened(page: Page, finished: Path) -> Page:
    page.call("Page.navigate", url=(finished / "study.html").as_uri())
    page.wait_for("document.readyState === 'complete' && document.getElementById('score') !== null")
    return page


@pytest.mark.posix("Chromium is driven through inherited pipes")
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [PHONE, DESKTOP])
def test_the_page_fits_its_window(page: Page, finished: Path, width: int, scheme: str) -> None:
    page.resize(width, 844, is_phone=width == PHONE)
    page.prefer(scheme)
    opened(page, finished)
    assert page.run("document.documentElement.scrollWidth <= innerWidth")
    background = page.run("getComputedStyle(document.documentElement).backgroundColor")
    assert (background == "rgb(22, 22, 22)") == (scheme == "dark")
    assert not page.problems
    assert page.requests == [(finished / "study.html").as_uri()], "nothing is asked for"


@pytest.mark.posix("Chromium is driven through inherited pipes")
def test_each_figure_has_its_text(page: Page, finished: Path) -> None:
    opened(page, finished)
    charts = page.run("[...document.querySelectorAll('svg.chart .title')].map(each => each.textContent)")
    assert {"Time against depth", "Nodes against depth", "Depth in one second", "Distant threats"} <= set(charts)
    assert {f"{name}: thinking time" for name in NAMES} <= set(charts)
    sections = page.run("[...document.querySelectorAll('section:has(.claimed)')].map(each => each.id)")
    assert len(sections) == 9
    texts = "section => [...document.querySelectorAll(`#${section} dt`)].map(each => each.textContent)"
    assert page.run(f"{json.dumps(sections)}.map({texts})") == [list(NAMES)] * 9
    links = page.run("[...document.querySelectorAll('nav a')].every(each => document.querySelector(each.hash))")
    assert links


@pytest.mark.posix("Chromium is driven through inherited pipes")
def test_growth_is_drawn_on_a_logarithmic_axis_with_error_bars(page: Page, finished: Path) -> None:
    opened(page, finished)
    label = page.run("document.querySelector('#depths svg').getAttribute('aria-label')")
    assert label.startswith("Time against depth")
    ticks = page.run(
        "[...document.querySelectorAll('#depths svg:first-child text[text-anchor=end]')]"
        ".map(each => Number(each.textContent)).filter(each => each > 0)"
    )
    steps = {round(after / before, 6) for before, after in itertools.pairwise(ticks)}
    assert steps <= {2.0, 2.5, 10.0, 100.0}, "equal factors, not equal differences"
    assert page.run("document.querySelectorAll('#depths .error').length") > 30


@pytest.mark.posix("Chromium is driven through inherited pipes")
def test_print_has_the_figures_on_white(page: Page, finished: Path) -> None:
    opened(page, finished)
    page.prefer("dark", media="print")
    assert page.run("getComputedStyle(document.documentElement).backgroundColor") == "rgb(255, 255, 255)"
    assert page.run("getComputedStyle(document.querySelector('nav')).display") == "none"
    assert page.run("getComputedStyle(document.querySelector('.chart text')).fill") == "rgb(0, 0, 0)"
    assert len(page.call("Page.printToPDF", printBackground=False)["data"]) > 100_000


@pytest.mark.posix("Chromium is driven through inherited pipes")
def test_axe_finds_no_fault_in_a_study(page: Page, finished: Path, axe: str) -> None:
    for width, scheme in ((PHONE, "light"), (DESKTOP, "dark")):
        page.resize(width, 844, is_phone=width == PHONE)
        page.prefer(scheme)
        opened(page, finished)
        page.run(axe)
        faults = "result => result.violations.map(each => [each.id, each.nodes.map(node => node.html.slice(0, 120))])"
        assert page.run(f"axe.run(document, {{ resultTypes: ['violations'] }}).then({faults})") == []


# -- the command -------------------------------------------------------------------------------------------------------


def test_a_folder_that_cannot_be_used_gets_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(SystemExit) as ended:
        cli.main(["study", str(file), "--quick"])
    assert ended.value.code == 2
    assert capsys.readouterr().err == f"pbrain study: error: {file} cannot be used: File exists\n"


@pytest.mark.slow
def test_the_quick_study_twice(tmp_path: Path) -> None:
    """From nothing: games, searches, page; and again with the same moves and counts."""
    folders = [tmp_path / name for name in ("first", "second")]
    for folder in folders:
        words = [sys.executable, "-m", "pbrain", "study", str(folder), "--quick"]
        run = subprocess.run(words, capture_output=True, text=True, check=True)
        assert "| kaname |" in run.stdout
        assert (folder / "study.html").exists()
    assert counts_in(folders[0]) == counts_in(folders[1])
    moves = [[game.moves for game in read_games(folder / "games")] for folder in folders]
    assert moves[0] == moves[1]
