"""What a person does on the page, and what it shows: steps that its tests share."""

import json

from pbrain.core.notation import cell_name, parse_cell, parse_position
from tests.browser import Page

FIVE = "a1a3b1b3c1c3d1d3e1"  # black has won


def text(page: Page, selector: str) -> str:
    return str(page.run(f"document.querySelector({json.dumps(selector)}).textContent"))


def status(page: Page) -> str:
    return text(page, "#status")


def message(page: Page) -> str:
    return text(page, "#message")


def stones(page: Page) -> list[str]:
    """The cells that have a stone, in the order of the moves."""
    found = page.run(
        "[...document.querySelectorAll('.cell')].map(each => each.getAttribute('aria-label'))"
        ".map(label => /^(\\S+), (?:black|white), stone (\\d+)/.exec(label)).filter(Boolean)"
        ".sort((a, b) => a[2] - b[2]).map(each => each[1])"
    )
    return list(found)


def cell(name: str) -> str:
    x, y = parse_cell(name)
    return f"[data-cell='{x},{y}']"


def play(page: Page, moves: str) -> None:
    for move in parse_position(moves):
        page.click(cell(cell_name(move)))


def choose(page: Page, label: str, option: str) -> None:
    """Choose an option of the select with this label."""
    page.run(
        f"{{ const field = [...document.querySelectorAll('.field')].find(each => each.firstChild.textContent === "
        f"{json.dumps(label)}); const list = field.querySelector('select'); "
        f"list.value = [...list.options].find(each => each.textContent === {json.dumps(option)}).value; "
        f"list.dispatchEvent(new Event('change')) }}"
    )


def press_button(page: Page, name: str) -> None:
    """Click the button with this text."""
    page.run(
        "document.querySelector('[data-pressed]')?.removeAttribute('data-pressed');"
        f"[...document.querySelectorAll('button')].find(each => each.checkVisibility() && each.textContent === "
        f"{json.dumps(name)}).dataset.pressed = ''"
    )
    page.click("[data-pressed]")


def tab(page: Page, name: str) -> None:
    page.click(f"#tab-{name}")


def new_game(page: Page, rule: str = "Freestyle", size: int = 15, black: str = "You", white: str = "You") -> None:
    tab(page, "play")
    choose(page, "Black", "You")
    choose(page, "White", "You")
    choose(page, "Rule", rule)
    choose(page, "Size", f"{size} by {size}")
    press_button(page, "Start a new game")
    choose(page, "Black", black)
    choose(page, "White", white)


def wait_for_stones(page: Page, count: int, timeout_s: float = 60.0) -> None:
    page.wait_for(f"document.querySelectorAll('.board > g > .stone').length >= {count}", timeout_s)


def count_of(page: Page) -> int:
    return len(stones(page))
