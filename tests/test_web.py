"""The page in a real Chromium, as people play on it: games, rules, Swap2."""

import json
import random
import re
import time

import pytest

from pbrain.core.notation import cell_name, parse_cell
from pbrain.core.types import Rule, SearchLimits
from pbrain.engine.engine import Engine
from tests.browser import Page
from tests.web_page import (
    FIVE,
    cell,
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
    wait_for_stones,
)

pytestmark = pytest.mark.posix("Chromium is driven through inherited pipes")


def best_move(engine: Engine, names: list[str], nodes: int = 20_000) -> str:
    """What the native engine would play."""
    engine.new_game(15, 15, Rule.FREESTYLE)
    for name in names:
        engine.play(*parse_cell(name))
    return cell_name(engine.think(SearchLimits(engine.now_ns(), nodes=nodes)).move)


def test_a_weak_level_says_why_the_time_is_grey(web: Page) -> None:
    tab(web, "play")
    choose(web, "Strength", "Easy")
    assert "Only full strength asks for a time." in web.run("document.querySelector('.panel .note').textContent")
    choose(web, "Strength", "Full strength")
    assert "asks for a time" not in web.run("document.querySelector('.panel .note').textContent")


def test_a_person_wins_against_a_beginner(web: Page, engine: Engine) -> None:
    choose(web, "Strength", "Beginner")
    for _ in range(60):
        web.wait_for("/Your move|You win|Kaname wins|drawn/.test(document.getElementById('status').textContent)", 60)
        if "Your move" not in status(web):
            break
        play(web, best_move(engine, stones(web)))
    assert status(web) == "You win as black: five in a row."
    assert web.run("document.querySelectorAll('.board .won').length") >= 5
    assert "part of the winning row" in web.run(
        "[...document.querySelectorAll('.cell')].map(each => each.getAttribute('aria-label')).join()"
    )
    assert not web.problems


def test_a_person_loses_when_playing_at_random(web: Page) -> None:
    tab(web, "play")
    choose(web, "Strength", "Strong")
    rng = random.Random(1)
    for _ in range(60):
        web.wait_for("/Your move|You win|Kaname wins|drawn/.test(document.getElementById('status').textContent)", 60)
        if "Your move" not in status(web):
            break
        taken = set(stones(web))
        free = [cell_name((x, y)) for x in range(15) for y in (0, 1, 13, 14) if cell_name((x, y)) not in taken]
        play(web, rng.choice(free))
    assert "Kaname wins as white: five in a row." in status(web)
    before = stones(web)
    web.click(cell("a8"))
    assert stones(web) == before, "the game is over"


def test_undo_and_redo_go_to_the_persons_turn(web: Page) -> None:
    play(web, "h8")
    wait_for_stones(web, 2)
    web.wait_for("document.getElementById('status').textContent.includes('Your move')")
    play(web, "h3")
    wait_for_stones(web, 4)
    after = stones(web)
    press_button(web, "Undo")
    assert stones(web) == after[:2]
    press_button(web, "Redo")
    assert stones(web) == after
    press_button(web, "Undo")
    press_button(web, "Undo")
    assert stones(web) == []
    play(web, "a1")
    wait_for_stones(web, 2)
    assert stones(web)[0] == "a1"
    assert web.run("[...document.querySelectorAll('button')].find(each => each.textContent === 'Redo').disabled")


def test_undo_while_the_engine_thinks(web: Page) -> None:
    """Its thoughts are dropped: the stone that it was about to place never comes."""
    choose(web, "Strength", "Full strength")
    choose(web, "Time per move", "30 s")
    play(web, "a1")
    web.wait_for("document.getElementById('status').textContent.includes('thinking')")
    press_button(web, "Undo")
    web.wait_for("document.getElementById('status').textContent === 'Stone 0 of 1. Your move (black).'")
    choose(web, "Time per move", "0.1 s")
    play(web, "a2")
    wait_for_stones(web, 2)
    assert stones(web)[0] == "a2"


def test_the_engine_plays_both_sides_to_the_end(web: Page) -> None:
    choose(web, "Strength", "Easy")
    new_game(web, size=7, black="Kaname", white="Kaname")
    web.wait_for("/wins|drawn/.test(document.getElementById('status').textContent)", 120)
    assert re.fullmatch(r"(Kaname: \w+\. )?(Black|White) wins: five in a row\.|The game is drawn.*", status(web))


def test_move_now_and_hint(web: Page) -> None:
    choose(web, "Strength", "Full strength")
    choose(web, "Time per move", "30 s")
    play(web, "a1")
    web.wait_for("document.querySelector('.numbers').textContent.startsWith('Depth')")
    began = time.monotonic()
    press_button(web, "Move now")
    wait_for_stones(web, 2)
    assert time.monotonic() - began < 10
    web.wait_for("document.getElementById('status').textContent.includes('Your move')")
    press_button(web, "Hint")
    web.wait_for("document.getElementById('message').textContent.startsWith('Hint: ')")
    assert web.run("document.querySelectorAll('.variation .stone').length") == 1


def test_numbers_and_the_last_move(web: Page) -> None:
    new_game(web)
    play(web, "h8i9g7")
    assert web.run("document.querySelectorAll('.board .last').length") == 1
    web.click("#controls input[type=checkbox]")
    numbers = web.run("[...document.querySelectorAll('.board > g > .stone text')].map(each => each.textContent)")
    assert numbers == ["1", "2", "3"]
    assert text(web, ".board .coordinate") == "a"


# -- rules -------------------------------------------------------------------------------------------------------------

# Moves of both sides, and whether black's last one wins.
SIX = "a1a3b1b3c1c3e1e3f1f3d1"
BLOCKED = "b1a1c1g1d1h3e1h5f1"  # white on both ends
RULES = {
    "Freestyle": {FIVE: True, SIX: True, BLOCKED: True},
    "Exactly five": {FIVE: True, SIX: False, BLOCKED: True},
    "Renju": {FIVE: True, BLOCKED: True},
    "Caro": {FIVE: True, SIX: True, BLOCKED: False},
    "Caro with exactly five": {FIVE: True, SIX: False, BLOCKED: False},
}


@pytest.mark.parametrize("rule", RULES)
def test_each_rule_has_its_own_wins(web: Page, rule: str) -> None:
    for moves, wins in RULES[rule].items():
        new_game(web, rule)
        play(web, moves)
        assert status(web) == ("Black wins: five in a row." if wins else "White to move."), moves
        assert (web.run("document.querySelectorAll('.board .won').length") > 0) == wins
    new_game(web, rule, black="Kaname", white="You")
    wait_for_stones(web, 1)
    assert not web.problems


def test_forbidden_points_have_a_cross_and_cannot_be_played(web: Page) -> None:
    new_game(web, "Renju")
    play(web, "g8a1i8a3h7a5h9")
    assert web.run("document.querySelectorAll('.forbidden path').length") == 0, "white may play anywhere"
    play(web, "o15")
    assert web.run("document.querySelectorAll('.forbidden path').length") == 1
    before = stones(web)
    play(web, "h8")
    assert message(web) == "h8 is forbidden to black."
    assert stones(web) == before
    label = web.run(f"document.querySelector({json.dumps(cell('h8'))}).getAttribute('aria-label')")
    assert label == "h8, empty, forbidden to black"


@pytest.mark.parametrize("size", [5, 22])
def test_boards_of_every_size(web: Page, size: int) -> None:
    choose(web, "Strength", "Easy")
    new_game(web, size=size, white="Kaname")
    assert web.run("document.querySelectorAll('.cell').length") == size * size
    corner = cell_name((size - 1, size - 1))
    play(web, corner)
    wait_for_stones(web, 2)
    assert stones(web)[0] == corner


# -- Swap2 -------------------------------------------------------------------------------------------------------------


def start_swap2(page: Page, black: str, white: str) -> None:
    tab(page, "play")
    choose(page, "Strength", "Full strength")
    choose(page, "Time per move", "0.5 s")
    choose(page, "Black", "You")
    choose(page, "White", "You")
    page.run("[...document.querySelectorAll('.check')].find(each => each.textContent === 'Swap2 opening').click()")
    choose(page, "Black", black)
    choose(page, "White", white)
    press_button(page, "Start a new game")


def test_the_engine_opens_with_swap2_and_a_person_adds_two(web: Page) -> None:
    start_swap2(web, "Kaname", "You")
    web.wait_for("document.getElementById('status').textContent.includes('choose below')", 60)
    assert count_of(web) == 3
    press_button(web, "Place two more stones")
    assert status(web) == "Swap2: place stone 4 of 5, white."
    play(web, "a1o15")
    web.wait_for("/Your move|Kaname takes/.test(document.body.textContent)", 60)
    web.wait_for("/Kaname takes (black|white)/.test(document.getElementById('message').textContent)", 60)
    took = message(web).split()[-1].rstrip(".")
    web.wait_for("/Your move/.test(document.getElementById('status').textContent)", 60)
    assert count_of(web) == {"black": 5, "white": 6}[took]


@pytest.mark.parametrize(("choice", "stones_then"), [("Play black", 4), ("Play white (it is white's move)", 3)])
def test_a_person_chooses_a_colour(web: Page, choice: str, stones_then: int) -> None:
    start_swap2(web, "Kaname", "You")
    web.wait_for("document.getElementById('status').textContent.includes('choose below')", 60)
    press_button(web, choice)
    web.wait_for("/Your move/.test(document.getElementById('status').textContent)", 60)
    assert count_of(web) == stones_then


def test_a_person_opens_with_swap2(web: Page) -> None:
    start_swap2(web, "You", "Kaname")
    assert status(web) == "Swap2: place stone 1 of 3, black."
    play(web, "h8h9i8")
    web.wait_for("/Kaname/.test(document.getElementById('message').textContent)", 60)
    assert re.match(r"Kaname (takes (black|white)|places two)", message(web))
    web.wait_for("/Your move|choose below/.test(document.getElementById('status').textContent)", 60)
