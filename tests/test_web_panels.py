"""The page's other panels in a real Chromium: analysis, files and links, puzzles."""

import json
import re
import shutil
import time
from pathlib import Path

import pytest

from pbrain.core.notation import cell_name, parse_position
from pbrain.web.page import PUZZLES
from tests.browser import Browser, Page
from tests.report_events import configuration, write_event
from tests.report_events import game as game_record
from tests.web_page import (
    FIVE,
    choose,
    count_of,
    message,
    new_game,
    play,
    press_button,
    status,
    stones,
    tab,
    text,
)
from tournament.cli import main as tournament

pytestmark = pytest.mark.posix("Chromium is driven through inherited pipes")


def test_analysis_goes_on_and_off(web: Page) -> None:
    new_game(web)
    play(web, "h8i9")
    tab(web, "analyse")
    press_button(web, "Analyse this position")
    web.wait_for("/^Depth ([5-9]|\\d\\d)/.test(document.querySelector('.numbers').textContent)", 60)
    assert re.fullmatch(r"Depth \d+-\d+, \S+ nodes, \S+ per second, \S+ s", text(web, ".numbers"))
    assert re.search(r"(better|equal|wins in \d+), depth \d+", text(web, ".bar-words"))
    play(web, "g7")
    web.wait_for("document.querySelectorAll('.line').length === 1", 60)
    assert web.run("document.querySelectorAll('.board .variation .stone').length") == 0
    box = web.box_of(".line")
    web.call("Input.dispatchMouseEvent", type="mouseMoved", x=box["x"] + 20, y=box["y"] + 20)
    web.wait_for("document.querySelectorAll('.board .variation .stone').length > 1", 60)
    web.call("Input.dispatchMouseEvent", type="mouseMoved", x=2, y=2)
    web.wait_for("document.querySelectorAll('.board .variation .stone').length === 0")
    press_button(web, "Stop the analysis")
    web.wait_for("document.querySelector('[aria-pressed]').textContent === 'Analyse this position'")
    shown = text(web, ".numbers")
    assert shown.startswith("Depth "), "what was found stays"
    play(web, "f6")
    assert text(web, ".numbers") == "No search yet."
    assert not web.problems


def test_the_best_moves_and_candidates(web: Page) -> None:
    new_game(web)
    play(web, "h8i9g7")
    tab(web, "analyse")
    choose(web, "Best moves", "3")
    press_button(web, "Analyse this position")
    web.wait_for("document.querySelectorAll('.line').length === 3", 60)
    scores = web.run("[...document.querySelectorAll('.line strong')].map(each => Number(each.textContent))")
    assert scores == sorted(scores), "white is to move, scores are for black"
    first = web.run("[...document.querySelectorAll('.line-moves')].map(each => each.textContent.split(' ')[0])")
    assert len(set(first)) == 3
    web.run("[...document.querySelectorAll('.check')].find(each => each.textContent.includes('Candidates')).click()")
    web.wait_for("document.querySelectorAll('.candidates circle').length > 3", 60)
    ranks = web.run("[...document.querySelectorAll('.candidates text')].map(each => each.textContent).sort()")
    assert ranks == ["1", "2", "3"]


def test_a_whole_game_is_analysed_and_its_mistake_found(web: Page) -> None:
    tab(web, "files")
    web.run("document.getElementById('position').value = 'h8a1h9a3h10a15o15h11h7h6'")
    press_button(web, "Set up")
    tab(web, "analyse")
    choose(web, "Time per move", "0.1 s")
    web.run(
        "[...document.querySelectorAll('.field')].filter(each => each.checkVisibility() && each.firstChild.textContent "
        "=== 'Time per move').forEach(each => { each.querySelector('select').value = '0'; })"
    )
    press_button(web, "Analyse the whole game")
    web.wait_for("document.querySelector('progress').hidden === false")
    web.wait_for("document.querySelector('progress').hidden", 120)
    told = web.run("[...document.querySelectorAll('.mistakes button')].map(each => each.textContent)")
    assert [each for each in told if each.startswith("7. Black o15 misses a win")], told
    assert web.run("document.querySelectorAll('.curve .mistake').length") == len(told)
    assert web.run("document.querySelectorAll('.curve .side circle').length") == 11
    web.click(".mistakes button")
    assert status(web).startswith("Stone ")
    box = web.box_of(".curve")
    web.click_at(box["x"] + box["width"] * 0.985, box["y"] + box["height"] / 2)
    assert count_of(web) == 10
    assert not web.problems


# -- files, links, puzzles ---------------------------------------------------------------------------------------------


def load(page: Page, path: Path) -> None:
    document = page.call("DOM.getDocument")["root"]["nodeId"]
    node = page.call("DOM.querySelector", nodeId=document, selector="#file")["nodeId"]
    page.call("DOM.setFileInputFiles", nodeId=node, files=[str(path)])


def test_games_are_loaded_and_saved(web: Page, tmp_path: Path) -> None:
    web.call("Page.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    tab(web, "files")
    load(web, Path(__file__).with_name("data") / "gomocup.psq")
    web.wait_for("document.getElementById('message').textContent.startsWith('Opened 16 stones.')")
    assert web.run("document.querySelectorAll('.cell').length") == 400
    moves = stones(web)
    for name in ("psq", "sgf"):
        press_button(web, {"psq": "Save as psq", "sgf": "Save as SGF"}[name])
        deadline = time.monotonic() + 60
        while not (tmp_path / f"game.{name}").exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        new_game(web)
        tab(web, "files")
        load(web, tmp_path / f"game.{name}")
        web.wait_for("document.getElementById('message').textContent.startsWith('Opened 16 stones.')")
        assert stones(web) == moves


def test_a_position_is_shared_by_its_link(web: Page, chromium: Browser) -> None:
    new_game(web, "Renju")
    play(web, "h8i9g7")
    tab(web, "files")
    link = web.run("document.getElementById('link').value")
    assert link.endswith("#moves=h8i9g7&size=15&rule=4")
    other = chromium.page()
    other.open(link)
    assert stones(other) == ["h8", "i9", "g7"]
    assert other.run("document.getElementById('link').value") == link
    other.call("Page.close")


NASTY = '<img src=x onerror="window.hacked=1">'
MALFORMED = {
    "a1a1": "Stone 2 cannot be placed: a1 is taken.",
    "h8p1": "Stone 2 cannot be placed: p1 is not on the board of 15 by 15.",
    f"{FIVE}a5": "Stone 10 cannot be placed: The game is over: black has won.",
    "#moves=g8a1i8a3h7a5h9o15h8&rule=4": "Stone 9 cannot be placed: h8 is forbidden to black.",
    NASTY: "is not a list of cells such as h8i9.",
    f"Piskvorky {NASTY}": "A psq file begins with",
    f"(;SZ[{NASTY}];B[hh])": "is not the size of a board.",
    "#moves=h8&size=99": "A board has 5 to 22 cells in each direction, not 99 by 99.",
}


def test_what_is_malformed_changes_nothing_and_is_never_markup(web: Page, kaname_page: Path, tmp_path: Path) -> None:
    new_game(web)
    play(web, "c3d4")
    tab(web, "files")
    for given, sentence in MALFORMED.items():
        web.run(f"document.getElementById('position').value = {json.dumps(given)}")
        press_button(web, "Set up")
        assert sentence in message(web), given
        assert stones(web) == ["c3", "d4"]
    nasty = tmp_path / "nasty.sgf"
    nasty.write_text(f"(;SZ[15]PB[{NASTY}]C[{NASTY}];B[{NASTY}])")
    load(web, nasty)
    web.wait_for("document.getElementById('message').textContent.includes('is not a point')")
    web.run("location.hash = '#moves=zz'")
    web.wait_for("document.getElementById('message').textContent.includes('is not a list of cells')")
    assert stones(web) == ["c3", "d4"]
    assert web.run("document.images.length") == 0
    assert web.run("window.hacked") is None
    web.open(f"{kaname_page.as_uri()}#{NASTY}")
    assert message(web) == "The part of the address after # is no position."


def test_a_game_of_the_report_opens_in_the_page(page: Page, kaname_page: Path, tmp_path: Path) -> None:
    folder = tmp_path / "a cup"
    record = game_record(1, "anna", "bert", 0)
    write_event(folder, configuration(["anna", "bert"], size="15"), [record])
    shutil.copy(kaname_page, folder / "kaname.html")
    assert tournament(["report", str(folder)]) == 0
    page.open((folder / "report.html").as_uri())
    page.click("#viewer a[href*=moves]")
    page.wait_for("document.querySelectorAll('.cell').length === 225 && document.documentElement.dataset.ready")
    moves = [*record.plan.opening.moves, *((move.x, move.y) for move in record.moves)]
    assert stones(page) == [cell_name(move) for move in moves]
    assert page.run("document.getElementById('link').value").endswith(f"&rule={record.board.rule}")


def puzzles() -> list[list[str]]:
    lines = PUZZLES.read_text(encoding="ascii").splitlines()
    return [line.split("\t") for line in lines if not line.startswith("#")]


def test_a_puzzle_is_solved(web: Page) -> None:
    tab(web, "puzzles")
    solution = [cell_name(move) for move in parse_position(puzzles()[0][5])]
    before = stones(web)
    assert "wins by fours" in status(web)
    play(web, "a1" if "a1" not in before and solution[0] != "a1" else "o15")
    web.wait_for("document.getElementById('status').textContent.includes('does not win')", 60)
    assert stones(web) == before
    for move in solution[::2]:
        count = count_of(web)
        play(web, move)
        web.wait_for(f"/Solved/.test(document.getElementById('status').textContent) || "
                     f"document.querySelectorAll('.board > g > .stone').length >= {count + 2}", 60)  # fmt: skip
    assert status(web) == "Solved."
    assert "1 of" in text(web, "#panel-puzzles")
    press_button(web, "Next")
    press_button(web, "Show the solution")
    assert status(web).startswith("The solution: ")
    assert web.run("document.querySelectorAll('.variation .stone').length") >= 5
    tab(web, "play")
    assert status(web) == "Your move (black)."
    assert stones(web) == [], "the game is as it was"
