"""The page for everyone, in a real Chromium: keys alone, phones, colours, screen readers."""

from pathlib import Path

import pytest

from tests.browser import DESKTOP, Page, axe_faults
from tests.web_page import cell, count_of, stones, wait_for_stones

pytestmark = pytest.mark.posix("Chromium is driven through inherited pipes")

PHONE = 390
TABS = ("play", "analyse", "files", "puzzles", "about")


def focus_by_tab(page: Page, expression: str) -> None:
    """Press Tab until the focused element fits."""
    for _ in range(60):
        page.press_tab()
        if page.run(f"(each => {expression})(document.activeElement)"):
            return
    raise AssertionError(f"Tab never reaches {expression}")


def press_arrow(page: Page, key: str) -> None:
    codes = {"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}
    page.call("Input.dispatchKeyEvent", type="rawKeyDown", key=key, code=key, windowsVirtualKeyCode=codes[key])
    page.call("Input.dispatchKeyEvent", type="keyUp", key=key, code=key)


def test_a_game_by_keyboard_alone(web: Page) -> None:
    focus_by_tab(web, "each.matches('.cell')")
    assert web.run("document.activeElement.getAttribute('aria-label')") == "h8, empty"
    web.press_enter()
    wait_for_stones(web, 2)
    web.wait_for("document.getElementById('status').textContent.includes('Your move')")
    for key in ("ArrowLeft", "ArrowUp", "ArrowUp"):
        press_arrow(web, key)
    assert web.run("document.activeElement.dataset.cell") == "6,5"
    web.press_enter()
    wait_for_stones(web, 4)
    assert stones(web)[0] == "h8"
    assert stones(web)[2] == "g6"
    focus_by_tab(web, "each.textContent === 'Undo'")
    web.press_enter()
    assert count_of(web) == 2
    focus_by_tab(web, "each.id === 'tab-play'")
    press_arrow(web, "ArrowRight")
    assert web.run("document.getElementById('panel-analyse').hidden") is False
    focus_by_tab(web, "each.textContent === 'Analyse this position'")
    web.press_enter()
    web.wait_for("document.querySelectorAll('.line').length === 1", 60)
    assert not web.problems


def test_on_a_phone_a_tap_asks_and_a_second_one_plays(page: Page, kaname_page: Path) -> None:
    page.resize(PHONE, 844, is_phone=True)
    page.open(kaname_page.as_uri())
    page.tap(cell("h8"))
    page.wait_for("document.getElementById('message').textContent === 'Tap h8 again to play there.'")
    page.tap(cell("g7"))
    page.wait_for("document.getElementById('message').textContent === 'Tap g7 again to play there.'")
    assert count_of(page) == 0
    page.tap(cell("g7"))
    wait_for_stones(page, 2)
    assert stones(page)[0] == "g7"


@pytest.mark.parametrize(("width", "scheme"), [(PHONE, "light"), (PHONE, "dark"), (DESKTOP, "dark")])
def test_every_panel_fits_and_axe_finds_no_fault(
    page: Page, kaname_page: Path, axe: str, width: int, scheme: str
) -> None:
    page.resize(width, 844, is_phone=width == PHONE)
    page.prefer(scheme)
    page.open(f"{kaname_page.as_uri()}#moves=h8i9g7f6e5&rule=4")
    for name in TABS:
        page.run(f"document.getElementById('tab-{name}').click()")
        assert page.run("document.documentElement.scrollWidth") <= width, name
        small = page.run(
            "[...document.querySelectorAll('button, select, input')].filter(each => each.checkVisibility())"
            ".filter(each => each.getBoundingClientRect().height < 36 && each.type !== 'checkbox')"
            ".map(each => each.outerHTML)"
        )
        assert small == [], name
        assert axe_faults(page, axe) == [], name
    assert page.run("getComputedStyle(document.documentElement).backgroundColor") == (
        "rgb(22, 22, 22)" if scheme == "dark" else "rgb(255, 255, 255)"
    )
