"""The report in a real Chromium: every part of it, whatever brains say, on phone and desktop, and while games run."""

import json
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.browser import DESKTOP, Browser, Page, axe_faults
from tests.report_events import NASTY, NASTY_MESSAGE, OPENING, configuration, game, many_games, write_event
from tests.runner import FAKE
from tournament.cli import main
from tournament.core.model import GamePlan, GameRecord, Opening, PlayedMove, Termination
from tournament.event.store import Store, to_json
from tournament.stats.standings import standings
from tournament.views.text import cell_text, elo_text

pytestmark = pytest.mark.posix("Chromium is driven through inherited pipes")

PHONE = 390
OPEN_WITHIN_MS = 2000
SLOW = Path(__file__).with_name("slow_brain.py")


def fault(number: int, loser: str, other: str) -> GameRecord:
    detail = f"{loser} exited during the game: exit code 3\\n-> TURN 7,7\\n<- {NASTY}\\nfull log: logs/x.log"
    return game(number, loser, other, 1, termination=Termination.CRASH, detail=detail.replace("\\n", "\n"))


def small_event() -> list[GameRecord]:
    """Three brains, one with a name that is markup; wins of both colours, a draw, a fault, a warning."""
    other = Opening("book.txt:9/3", OPENING.moves)
    nasty_moves = (PlayedMove(0, 0, 5.0, NASTY_MESSAGE), PlayedMove(1, 1, 6.0, "MESSAGE win in 3"))
    return [
        game(1, "anna", "bert", 0),
        game(2, "bert", "anna", 1),
        game(3, "anna", NASTY, None, moves=nasty_moves, warnings=("anna wrote to stderr: <b>x</b>",)),
        game(4, NASTY, "anna", 0, plan=GamePlan(4, 2, NASTY, "anna", other)),
        fault(5, "bert", NASTY),
        game(6, NASTY, "bert", 1),
    ]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("events") / "a <b>cup & more"
    write_event(folder, configuration(["anna", "bert", NASTY], size="15"), small_event())
    assert main(["report", str(folder)]) == 0
    return folder / "report.html"


def text_of(page: Page, selector: str) -> list[str]:
    """The texts of all elements that match."""
    found = page.run(f"[...document.querySelectorAll({json.dumps(selector)})].map(each => each.textContent.trim())")
    return list(found)


def shown_games(page: Page) -> list[int]:
    return [int(each.removeprefix("#")) for each in text_of(page, "#list button > span:first-child")]


def stones(page: Page) -> int:
    return int(page.run("document.querySelectorAll('.board .stone').length"))


# -- the parts ---------------------------------------------------------------------------------------------------------


def test_the_tables_hold_what_the_statistics_say(page: Page, small: Path) -> None:
    page.open(small.as_uri())
    table = standings(small_event(), configuration(["anna", "bert", NASTY]).field)
    assert text_of(page, "h1") == ["a <b>cup & more"]
    assert text_of(page, ".progress") == ["6 of 6 games"]
    assert text_of(page, "#standings tbody th") == [row.name for row in table.rows]
    assert text_of(page, "#standings tbody td:nth-child(3)") == [elo_text(row) for row in table.rows]
    assert text_of(page, "#standings .chart .value") == [elo_text(row) for row in table.rows]
    assert page.run("document.querySelectorAll('#standings .chart .dot').length") == 3
    assert page.run("document.querySelectorAll('#standings .chart .error').length") == 3 * 3, "a bar and two caps each"
    cells = [cell_text(tally) for row in table.crosstable for tally in row if tally.games]
    assert page.run("[...document.querySelectorAll('#crosstable button')].map(each => each.firstChild.data)") == cells
    assert not page.problems


def test_time_memory_colours_and_endings_are_shown(page: Page, small: Path) -> None:
    page.open(small.as_uri())
    titles = text_of(page, "#times .chart .title")
    assert titles == ["Time per move", "Peak memory", "anna", "bert", NASTY]
    assert text_of(page, "#times tbody tr:first-child td")[-1] == "30", "MB"
    assert page.run("document.querySelectorAll('#times .chart .bar').length") == 3
    assert text_of(page, "#openings .chart .value") == ["2-1-3, black 41.7 %", "1 for black, 0 even, 1 for white"]
    assert text_of(page, "#openings tbody button") == ["book.txt:7", "book.txt:9"], "symmetries are one opening"
    endings = dict(zip(text_of(page, "#endings tbody th"), text_of(page, "#endings tbody td.number"), strict=True))
    assert endings == {"five in a row": "4", "the board is full": "1", "exited during the game fault": "1"}
    assert text_of(page, "#endings summary") == ["game 5: bert exited during the game: exit code 3"]
    assert text_of(page, "#endings pre") == [f"-> TURN 7,7\n<- {NASTY}\nfull log: logs/x.log"]
    assert text_of(page, "#endings li") == ["anna wrote to stderr: <b>x</b>"]
    page.run("document.querySelector('#endings details').open = true")
    page.click("#endings [data-game]")
    page.wait_for("document.querySelector('#viewer h3').textContent.startsWith('Game 5')")
    assert "<- " + NASTY in text_of(page, "#viewer pre")[0]


def test_no_text_is_markup_and_nothing_is_asked_for(page: Page, small: Path) -> None:
    page.open(small.as_uri())
    for number in range(1, 7):
        page.click(f"[data-number='{number}']")
        page.wait_for(f"document.querySelector('#viewer h3').textContent.startsWith('Game {number}')")
        page.press("Home")
        for _ in range(5):
            page.press("ArrowRight")
        if number == 3:
            page.press("ArrowLeft")
            assert text_of(page, ".said") == [NASTY_MESSAGE.removeprefix("MESSAGE ")]
    assert page.run("window.hacked") is None
    assert page.run("document.querySelectorAll('script').length") == 3
    assert page.run("document.querySelectorAll('img, b, iframe').length") == 0
    assert page.requests == [small.as_uri()]
    assert not page.problems


def test_a_policy_stops_what_would_become_markup_by_mistake(page: Page, small: Path) -> None:
    page.open(small.as_uri())
    page.run(f"document.querySelector('footer').innerHTML = {json.dumps(NASTY_MESSAGE)}")
    page.run("{ const made = document.createElement('script'); made.textContent = 'window.hacked = 3';"
             " document.body.append(made) }")  # fmt: skip
    page.wait_for("document.querySelector('footer img') !== null")
    time.sleep(0.2)
    assert page.run("window.hacked") is None
    assert [each for each in page.problems if "Content Security Policy" in each]


def test_the_list_filters_by_each_field(page: Page, small: Path) -> None:
    page.open(small.as_uri())

    def choose(**values: str) -> list[int]:
        page.run("document.getElementById('filters').reset()")
        for field, value in values.items():
            page.run(f"document.forms.filters.elements[{json.dumps(field)}].value = {json.dumps(value)}")
        page.run("document.forms.filters.dispatchEvent(new Event('input', { bubbles: true }))")
        return shown_games(page)

    assert choose() == [1, 2, 3, 4, 5, 6]
    assert choose(brain="0") == [1, 2, 3, 4]
    assert choose(brain="0", opponent="1") == [1, 2]
    assert choose(brain="0", colour="1") == [2, 4]
    assert choose(brain="0", result="won") == [1, 2]
    assert choose(brain="0", result="lost") == [4]
    assert choose(result="drawn") == [3]
    assert choose(result="white") == [2, 5, 6]
    assert choose(ending="CRASH") == [5]
    assert choose(opening="book.txt:9") == [4]
    assert choose(opening="BOOK") == [1, 2, 3, 4, 5, 6]
    assert choose(opening="nothing") == []
    assert text_of(page, "#count") == ["0 of 6 games"]
    page.click("#filters [type=reset]")
    page.wait_for("document.querySelectorAll('#list li').length === 6")
    page.click("#crosstable [data-brain='0'][data-opponent='2']")
    page.wait_for("document.querySelectorAll('#list li').length === 2")
    assert shown_games(page) == [3, 4]
    assert text_of(page, "#filters select[name=brain] option:checked") == ["anna"]
    page.click("#endings [data-ending='DRAW_FULL']")
    page.wait_for("document.querySelectorAll('#list li').length === 1")


# -- the board ---------------------------------------------------------------------------------------------------------


def test_a_game_is_replayed_by_keys_buttons_slider_curve_and_moves(page: Page, small: Path) -> None:
    page.open(small.as_uri())
    count = len(OPENING.moves) + 10
    assert stones(page) == count
    assert page.run("document.querySelectorAll('.board .won').length") == 5
    label = page.run("document.querySelector('.board').getAttribute('aria-label')")
    assert label == "Board of 15 by 15 after 13 stones; the last is black on e1, which makes five in a row."
    page.press("ArrowLeft")
    assert stones(page) == count - 1
    assert page.run("document.querySelectorAll('.board .won').length") == 0
    page.click("[aria-label^='First stone']")
    assert stones(page) == 0
    page.click("[aria-label^='One stone on']")
    assert stones(page) == 1
    page.run("document.querySelector('#viewer input[type=range]').focus()")
    page.call(
        "Input.dispatchKeyEvent", type="rawKeyDown", key="ArrowRight", code="ArrowRight", windowsVirtualKeyCode=39
    )
    assert stones(page) == 2
    page.click(".moves li:nth-child(8) button")
    assert stones(page) == 8
    assert page.run("document.querySelector('.moves [aria-current]').dataset.stones") == "8"
    box = page.box_of(".curve")
    page.click_at(box["x"] + box["width"] * 0.985, box["y"] + box["height"] / 2)
    assert stones(page) == count
    page.click_at(box["x"] + box["width"] * 0.12, box["y"] + box["height"] / 2)
    assert stones(page) == 0
    page.click("#viewer input[type=checkbox]")
    page.click(".moves li:nth-child(4) button")
    assert text_of(page, ".board .stone text") == ["1", "2", "3", "4"]
    assert "evaluation -20 for black" in text_of(page, ".move-now")[0], "white's own +20"
    assert "by bert in 100 ms" in text_of(page, ".move-now")[0]
    assert page.run("location.hash") == "#game=1&stones=4"
    assert text_of(page, ".moves-text")[0].startswith("h8i9g7o15a1o13b1"), "as `pbrain analyse` reads it"
    assert not page.problems


def test_the_curve_has_a_point_for_each_score(page: Page, small: Path) -> None:
    page.open(f"{small.as_uri()}#game=1&stones=5")
    assert stones(page) == 5
    counts = "['black', 'white'].map(side => document.querySelectorAll(`.curve .${side} circle`).length)"
    assert page.run(counts) == [5 + 1, 5 + 1], "and one in the legend"
    names = text_of(page, ".curve text")
    assert "anna, black" in names
    assert "bert, white" in names


def test_the_next_game_of_the_list_is_a_key_away(page: Page, small: Path) -> None:
    page.open(small.as_uri())
    page.run("document.activeElement.blur()")
    page.press("n")
    page.wait_for("document.querySelector('#viewer h3').textContent.startsWith('Game 2')")
    page.press("p")
    page.wait_for("document.querySelector('#viewer h3').textContent.startsWith('Game 1')")
    page.press("p")
    assert text_of(page, "#list [aria-current] > span:first-child") == ["#1"]


def test_a_swipe_turns_the_moves(page: Page, small: Path) -> None:
    page.resize(PHONE, 844, is_phone=True)
    page.open(small.as_uri())
    count = stones(page)
    page.swipe(".board", 60)
    page.wait_for(f"document.querySelectorAll('.board .stone').length === {count - 1}")
    page.swipe(".board", -60)
    page.wait_for(f"document.querySelectorAll('.board .stone').length === {count}")


def test_the_whole_page_works_by_keyboard(page: Page, small: Path) -> None:
    """Tab reaches every control in the order of the page, and Enter opens a game."""
    page.open(small.as_uri())
    reached = []
    for _ in range(150):
        page.call("Input.dispatchKeyEvent", type="keyDown", key="Tab", code="Tab", windowsVirtualKeyCode=9)
        reached.append(page.run("document.activeElement.dataset.number ?? document.activeElement.name ?? ''"))
        if reached[-1] == "2":
            break
    assert reached[-1] == "2"
    assert [each for each in reached if each in ("brain", "opening", "1")] == ["brain", "opening", "1"]
    page.call("Input.dispatchKeyEvent", type="keyDown", key="Enter", code="Enter", text="\r", windowsVirtualKeyCode=13)
    page.wait_for("document.querySelector('#viewer h3').textContent.startsWith('Game 2')")


# -- widths, colours, print, no script ---------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [PHONE, DESKTOP])
def test_the_page_fits_its_window(page: Page, small: Path, width: int, scheme: str) -> None:
    page.resize(width, 844, is_phone=width == PHONE)
    page.prefer(scheme)
    page.open(small.as_uri())
    assert page.run("document.documentElement.scrollWidth <= innerWidth")
    colours = page.run(
        "[getComputedStyle(document.documentElement).backgroundColor, getComputedStyle(document.body).color]"
    )
    assert (colours[0] == "rgb(22, 22, 22)") == (scheme == "dark")
    small_targets = page.run(
        "[...document.querySelectorAll('#viewer .controls button, #list button, #filters select')]"
        ".filter(each => each.getBoundingClientRect().height < 35).length"
    )
    assert small_targets == 0


def test_print_shows_the_numbers_and_no_controls(page: Page, small: Path) -> None:
    page.open(small.as_uri())
    page.prefer("dark", media="print")
    shown = "selector => getComputedStyle(document.querySelector(selector)).display !== 'none'"
    assert page.run(f"['nav', '#filters', '#viewer .controls'].filter({shown})") == []
    assert page.run(f"['#standings table', '#crosstable', '#test', '.board', '.chart'].filter({shown}).length") >= 4
    assert page.run("getComputedStyle(document.documentElement).backgroundColor") == "rgb(255, 255, 255)"
    assert len(page.call("Page.printToPDF", printBackground=False)["data"]) > 20_000


def test_the_statistics_need_no_script(page: Page, small: Path) -> None:
    page.call("Emulation.setScriptExecutionDisabled", value=True)
    page.call("Page.navigate", url=small.as_uri())
    page.wait_for("document.querySelector('#endings tbody') !== null")
    assert page.run("document.querySelectorAll('svg.chart').length") == 7
    assert page.run("getComputedStyle(document.getElementById('browser')).display") == "none"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [PHONE, DESKTOP])
def test_axe_finds_no_fault(page: Page, small: Path, axe: str, width: int, scheme: str) -> None:
    page.resize(width, 844, is_phone=width == PHONE)
    page.prefer(scheme)
    page.open(small.as_uri())
    page.run("document.querySelectorAll('details').forEach(each => { each.open = true })")
    assert axe_faults(page, axe) == []


# -- size --------------------------------------------------------------------------------------------------------------


@pytest.mark.timing
def test_5000_games_open_within_two_seconds(chromium: Browser, tmp_path: Path) -> None:
    names = ["anna", "bert", "carl", "dora", "emil"]
    folder = write_event(tmp_path / "large", configuration(names, games=500), many_games(5000, names))
    assert main(["report", str(folder)]) == 0
    report = folder / "report.html"
    took = []
    for _ in range(3):
        page = chromium.page()
        page.resize(DESKTOP)
        page.open(report.as_uri())
        took.append(page.run("performance.getEntriesByName('ready')[0].startTime"))
        assert text_of(page, "#count") == ["5000 games"]
        assert page.run("document.querySelectorAll('*').length") < 8000, "only the rows that are looked at"
        page.call("Page.close")
    print(f"5,000 games, {report.stat().st_size / 1e6:.1f} MB: open after {min(took):.0f} to {max(took):.0f} ms")
    assert min(took) < OPEN_WITHIN_MS


# -- a sequential test -------------------------------------------------------------------------------------------------


def test_the_course_of_an_sprt_is_drawn_between_its_bounds(page: Page, tmp_path: Path) -> None:
    records = many_games(400, ["new", "old"])
    config = configuration(["new", "old"], {"elo0": 0, "elo1": 10}, games=1000)
    folder = write_event(tmp_path / "sprt", config, records, "H0 accepted: <i>words</i>")
    assert main(["report", str(folder)]) == 0
    page.open((folder / "report.html").as_uri())
    assert text_of(page, "#test h2") == ["SPRT"]
    assert text_of(page, "#test .verdict") == ["H0 accepted: <i>words</i>"]
    assert text_of(page, "#test .chart .name") == [
        "H1 accepted: +10 normalised Elo",
        "H0 accepted: +0 normalised Elo",
    ]
    points = page.run("document.querySelector('#test polyline').getAttribute('points').split(' ').length")
    assert points == 201
    assert "LLR" in text_of(page, "#test p")[0]


def test_an_event_without_a_test_has_no_such_section(page: Page, small: Path) -> None:
    page.open(small.as_uri())
    assert page.run("document.getElementById('test').hidden")
    assert "#test" not in page.run("[...document.querySelectorAll('nav a')].map(each => each.hash)")


# -- the command -------------------------------------------------------------------------------------------------------


def test_a_report_of_no_games_is_a_page(page: Page, tmp_path: Path) -> None:
    folder = write_event(tmp_path / "empty", configuration(["anna", "bert"]), [])
    assert main(["report", str(folder)]) == 0
    page.open((folder / "report.html").as_uri())
    assert text_of(page, ".progress") == ["0 of 2 games"]
    assert page.run("document.getElementById('browser').hidden")
    assert not page.problems


def test_bad_folders_and_files_get_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(tmp_path)]) == 2
    assert capsys.readouterr().err == f"tournament: {tmp_path} is not an event folder: it has no event.json\n"
    folder = write_event(tmp_path / "event", configuration(["anna", "bert"]), [game(1, "anna", "bert", 0)])
    out = tmp_path / "nowhere" / "report.html"
    assert main(["report", str(folder), "--out", str(out)]) == 3
    assert capsys.readouterr().err == f"tournament: {out} cannot be written: No such file or directory\n"
    assert main(["report", str(folder), "--serve", "99999999"]) == 3
    assert capsys.readouterr().err.startswith("tournament: the report cannot be served at 127.0.0.1:99999999: ")


def test_openings_that_can_no_longer_be_read_do_not_prevent_a_report(tmp_path: Path) -> None:
    book = tmp_path / "book.txt"
    book.write_text("0,0, 1,1, 2,0\n")
    config = configuration(["anna", "bert"], openings=str(book))
    folder = write_event(tmp_path / "event", config, [game(1, "anna", "bert", 0)])
    assert main(["report", str(folder)]) == 0
    assert ">1 of 2 games<" in (folder / "report.html").read_text()
    book.write_text("no opening\n")
    assert main(["report", str(folder)]) == 0
    assert ">1 games<" in (folder / "report.html").read_text()


# -- live --------------------------------------------------------------------------------------------------------------


@contextmanager
def started(*words: str) -> Iterator[tuple["subprocess.Popen[str]", str]]:
    """A runner with --serve, and its address; SIGTERM ends it, and whatever becomes of the test, it ends with it."""
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-m", "tournament", *words], stdout=pipe, stderr=pipe, text=True) as process:
        try:
            assert process.stderr is not None
            line = process.stderr.readline()
            found = re.fullmatch(r"live report at (http://127\.0\.0\.1:\d+/)\n", line)
            assert found, line
            yield process, found[1]
            process.terminate()
            process.communicate(timeout=60)
        finally:
            process.kill()


# What the page says of the first running game, and how many stones its board has.
RUNNING = """(() => {
  const game = document.querySelector("#running-games li");
  return game && [game.querySelector("p").textContent, game.querySelectorAll(".stone").length];
})()"""


def test_a_running_event_is_shown_as_it_is_played(page: Page, tmp_path: Path) -> None:
    folder = tmp_path / "live"
    slow = f"{sys.executable} {SLOW} {sys.executable} {FAKE} none"
    words = ("--games", "2", "--turn", "5s", "--size", "10", "--draw-after", "14", "--out", str(folder), "--serve")
    with started("run", slow, slow, *words) as (process, address):
        page.open(address)
        seen: set[str] = set()
        while len(seen) < 4:
            text, drawn = page.wait_for(RUNNING, 60)
            found = re.match(r"game 1 .*: (\d+) stones, .* thinks", text)
            assert found, text
            assert int(found[1]) == drawn
            seen.add(text)
        page.wait_for("document.querySelectorAll('#list li').length === 1", 60)
        assert text_of(page, ".progress") == ["1 of 2 games"]
        page.wait_for("document.querySelectorAll('#list li').length === 2", 60)
        page.wait_for("document.getElementById('live-state').textContent.startsWith('The event has ended')")
        assert text_of(page, ".progress") == ["2 of 2 games"]
        assert stones(page) > 0
        assert process.wait(60) == 0
        assert all(each.startswith(address) for each in page.requests)
        assert not page.problems
    assert (folder / "report.html").exists()


def test_the_event_of_another_process_is_followed(page: Page, tmp_path: Path) -> None:
    folder = write_event(tmp_path / "event", configuration(["anna", "bert"], games=4), [game(1, "anna", "bert", 0)])
    with started("report", str(folder), "--serve") as (_, address):
        page.open(address)
        assert shown_games(page) == [1]
        page.run("document.getElementById('opening-table').open = true")
        with Store(folder).games_path.open("a") as file:
            lines = [to_json(game(number, "bert", "anna", 1)) for number in (2, 3)]
            file.write(f"{lines[0]}\n{lines[1][:50]}")
            file.flush()
            page.wait_for("document.querySelectorAll('#list li').length === 2")
            file.write(f"{lines[1][50:]}\n")
        page.wait_for("document.querySelectorAll('#list li').length === 3")
        assert text_of(page, ".progress") == ["3 of 4 games"]
        assert page.run("document.getElementById('opening-table').open")
        assert text_of(page, "#live-state")[0].startswith("Games appear when they have ended")
        page.click("[data-number='3']")
        page.wait_for("document.querySelector('#viewer h3').textContent.startsWith('Game 3')")
        assert all(each.startswith(address) for each in page.requests)
        assert not page.problems


def test_a_section_in_use_is_replaced_when_it_is_left(page: Page, tmp_path: Path) -> None:
    folder = write_event(tmp_path / "event", configuration(["anna", "bert"], games=4), [game(1, "anna", "bert", 0)])
    with started("report", str(folder), "--serve") as (_, address):
        page.open(address)
        page.run("document.querySelector('#crosstable button').focus()")
        with Store(folder).games_path.open("a") as file:
            file.write(f"{to_json(game(2, 'bert', 'anna', 1))}\n")
        page.wait_for("document.querySelectorAll('#list li').length === 2")
        assert text_of(page, "#standings td:nth-child(5)") == ["2-0-0", "0-0-2"]
        assert text_of(page, "#crosstable button")[0].startswith("1-0-0")
        page.run("document.activeElement.blur()")
        page.wait_for("document.querySelector('#crosstable button').textContent.startsWith('2-0-0')")


def answer(address: str, **headers: str) -> tuple[int, bytes]:
    try:
        with urllib.request.urlopen(urllib.request.Request(address, headers=headers), timeout=60) as response:
            return response.status, response.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def test_only_this_machine_is_served(tmp_path: Path) -> None:
    folder = write_event(tmp_path / "event", configuration(["anna", NASTY]), [game(1, "anna", NASTY, 0)])
    with started("report", str(folder), "--serve") as (_, address):
        port = int(address.rstrip("/").rpartition(":")[2])
        status, body = answer(address)
        assert status == 200
        assert NASTY.encode() not in body
        assert answer(address, Host=f"localhost:{port}")[0] == 200
        assert answer(address, Host="evil.example")[0] == 403
        assert answer(f"{address}updates", Host="evil.example")[0] == 403
        assert answer(f"{address}../event.json")[0] == 404
        own = socket.gethostbyname(socket.gethostname())
        if not own.startswith("127."):
            with socket.socket() as outside:
                outside.settimeout(2)
                assert outside.connect_ex((own, port)) != 0


def test_a_port_in_use_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write_event(tmp_path / "event", configuration(["anna", "bert"]), [])
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["report", str(folder), "--serve", str(port)]) == 3
    said = capsys.readouterr().err
    assert said == f"tournament: the report cannot be served at 127.0.0.1:{port}: Address already in use\n"


# -- at the end of an event --------------------------------------------------------------------------------------------


def test_every_event_ends_with_its_report(page: Page, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    brains = [f"{sys.executable} {FAKE} {kind}" for kind in ("crash", "stderr")]
    folder = tmp_path / "event"
    words = ["run", *brains, "--games", "2", "--size", "10", "--out", str(folder), "--json"]
    assert main(words) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert lines[-1]["hint"] == f"games saved in {folder / 'games.jsonl'}, report in {folder / 'report.html'}"
    page.open((folder / "report.html").as_uri())
    assert text_of(page, ".progress") == ["2 of 2 games"]
    assert text_of(page, "#endings tbody th") == ["exited during the game fault"]
    assert len(text_of(page, "#endings pre")) == 2
    assert "full log: " in text_of(page, "#endings pre")[0]
    assert [each for each in text_of(page, "#endings li") if "stderr" in each]
    assert not page.problems


def test_a_knock_out_shows_its_rounds(page: Page, tmp_path: Path) -> None:
    names = ["anna", "bert", "carl"]
    records = [game(1, "anna", "bert", 0), game(2, "bert", "anna", 1)]
    folder = write_event(tmp_path / "cup", configuration(names, mode="knock-out"), records)
    assert main(["report", str(folder)]) == 0
    page.open((folder / "report.html").as_uri())
    assert text_of(page, ".bracket li")[0].startswith("round 1: ")
    assert text_of(page, ".progress") == ["2 of 4 games"]


def test_a_report_that_cannot_be_written_costs_no_game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    brains = [f"{sys.executable} {FAKE} none"] * 2
    folder = tmp_path / "event"
    (folder / "report.html").mkdir(parents=True)
    words = ["run", *brains, "--games", "2", "--size", "10", "--out", str(folder), "--plain"]
    assert main(words) == 3
    said = capsys.readouterr()
    assert said.err == f"tournament: {folder / 'report.html'} cannot be written: Is a directory\n"
    assert len(Store(folder).load()) == 2
    (folder / "report.html").rmdir()
    assert main(["resume", str(folder), "--plain"]) == 0
    assert (folder / "report.html").is_file()
