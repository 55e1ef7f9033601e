"""What pages are made of: the bundler, the charts, and the modules' arithmetic."""

import json
import random
import re
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from pbrain.console.view import winning_stones
from pbrain.pages.axis import Axis, axis_over, number_text
from pbrain.pages.bundle import FOLDER, BundleError, content_policy, script_json, script_of
from pbrain.pages.line_chart import Band, Level, Line, LineChart, line_chart
from pbrain.pages.row_chart import Row, RowChart, row_chart
from pbrain.pages.split_chart import SplitChart, SplitRow, split_chart
from tests.browser import Page
from tournament.core.openings import cell_name

NASTY = '<script>"&'


# -- the bundler -------------------------------------------------------------------------------------------------------


def modules(folder: Path, **texts: str) -> Path:
    """Files with these texts; the entry is `main`."""
    for name, text in texts.items():
        (folder / f"{name}.js").write_text(text)
    return folder / "main.js"


@pytest.mark.parametrize(
    ("texts", "reason"),
    [
        (
            {"main": 'import { a } from "./other.js";\n', "other": 'import { b } from "./main.js";\n'},
            "import each other",
        ),
        ({"main": 'import a from "./other.js";\n', "other": ""}, "not known here"),
        ({"main": "export default 3;\n"}, "not known here"),
        ({"main": 'const a = "</script>";\n'}, "<script"),
        ({"main": 'const a = "<!--";\n'}, "<!--"),
    ],
)
def test_modules_in_other_forms_are_refused(tmp_path: Path, texts: dict[str, str], reason: str) -> None:
    with pytest.raises(BundleError, match=re.escape(reason)):
        script_of(modules(tmp_path, **texts))


def test_modules_of_one_name_are_refused(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    modules(tmp_path / "deep", main="export const a = 1;\n")
    with pytest.raises(BundleError, match="same name"):
        script_of(modules(tmp_path, main='import { a } from "./deep/main.js";\n'))


def test_each_module_comes_once_and_before_those_that_import_it(page: Page, tmp_path: Path) -> None:
    entry = modules(
        tmp_path,
        main='import { two } from "./two.js";\nimport { one } from "./one.js";\nexport const told = [two(), one];\n',
        two='import { one } from "./one.js";\nexport function two() {\n  return 2 * one;\n}\n',
        one="const hidden = 4;\nexport const one = hidden;\n",
    )
    script = script_of(entry)
    assert script.count("const hidden") == 1
    assert page.run(f"{{ {script}; module_main.told }}") == [8, 4]


def test_json_cannot_end_its_script() -> None:
    value = ["</script><!--", "é", '"']
    text = script_json(value)
    assert "<" not in text
    assert json.loads(text) == value


def test_the_policy_names_what_may_run() -> None:
    policy = content_policy("script", "style")
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy
    assert "connect-src" not in policy
    assert "connect-src 'self'" in content_policy("script", "style", connects=True)


# -- the charts --------------------------------------------------------------------------------------------------------


def test_a_logarithmic_axis_has_equal_steps_for_equal_factors() -> None:
    axis = axis_over([1, 1000], 0, 300, is_log=True)
    assert [round(axis.at(value)) for value in (1, 10, 100, 1000)] == [0, 100, 200, 300]
    assert axis.ticks == [1, 10, 100, 1000]
    assert axis_over([1, 40], 0, 300, is_log=True).ticks == [1, 2, 5, 10, 20]
    assert axis_over([0, 10, 20], 0, 1, is_log=True).low == 10, "0 has no place"
    assert axis.at(0.5) == 0, "values beyond the ends are at the ends"
    assert len(Axis(1e-6, 1e15, 0, 1, is_log=True).ticks) <= 8


def test_an_axis_of_one_value_or_none_is_wide_enough() -> None:
    assert axis_over([5], 0, 1) == Axis(4, 6, 0, 1)
    assert axis_over([5], 0, 1, is_log=True) == Axis(2.5, 10, 0, 1, is_log=True)
    assert axis_over([], 0, 1, is_log=True).ticks


@pytest.mark.parametrize(("value", "text"), [(250, "250"), (20000, "20k"), (1.5e6, "1.5M"), (-30000, "-30k"), (0, "0")])
def test_large_numbers_are_short(value: float, text: str) -> None:
    assert number_text(value) == text


def elements(text: str, kind: str) -> list[ET.Element]:
    return [each for each in ET.fromstring(text).iter() if each.get("class") == kind]


def test_lines_have_errors_bands_levels_and_names() -> None:
    lines = [
        Line([1, 2, 3], [1, 10, 100], "first", [(0.5, 1.5), (5, 15), (50, 150)]),
        Line([1, 2, 3], [2, 3, 4], NASTY, [(1, 3), None, (3, 5)]),
    ]
    chart = LineChart("title", NASTY, "depth", lines, [Band([1, 3], [1, 1], [2, 2])], [Level(7, "limit")], is_log=True)
    text = line_chart(chart)
    assert len(elements(text, "error")) == 5 * 3, "a bar and two caps for each interval"
    assert len(elements(text, "dot")) == 3
    assert len(elements(text, "dot dot-1")) == 3
    assert [each.text for each in elements(text, "name")] == ["limit"]
    assert len(elements(text, "line line-0")) == 2, "one of them in the legend"
    assert elements(text, "band")
    assert "<script" not in text
    words = [str(each.text) for each in ET.fromstring(text).iter("text")]
    assert NASTY in words
    assert "3 depth" in words


def test_rows_have_intervals_bars_and_marks() -> None:
    rows = [Row(NASTY * 9, "+3 ±4", 3, (-1, 7)), Row("b", "5", bar=5), Row("c", "", marks=(1, 2, 3, 4))]
    text = row_chart(RowChart("title", "note", "Elo", rows, [Level(0)]))
    assert "<script" not in text
    dots = [float(str(each.get("cx"))) for each in elements(text, "dot")]
    low, high = sorted(float(str(each.get("x1"))) for each in elements(text, "error")[1:3])
    assert dots[0] == pytest.approx((low + high) / 2, abs=0.11)
    assert len(elements(text, "mark")) == 4, "three ticks and a cap"
    assert len(elements(text, "bar")) == 1
    label = str(ET.fromstring(text).get("aria-label"))
    assert NASTY * 9 in label
    assert "+3 ±4" in label


def test_a_bound_is_an_arrow_to_the_end() -> None:
    rows = [Row("all won", "> +100", bound=(100, 1)), Row("all lost", "< -50", bound=(-50, -1)), Row("none", "-")]
    text = row_chart(RowChart("title", "note", "Elo", rows, [Level(0)]))
    right, left = [str(each.get("points")).split()[1].split(",")[0] for each in elements(text, "error tip")]
    assert float(right) > 340
    assert float(left) < 10
    assert not elements(text, "dot")


def test_a_split_fills_its_row() -> None:
    rows = [SplitRow("all", "6-3-1", (6, 3, 1)), SplitRow("none", "", (0, 0, 0)), SplitRow("one", "", (0, 0, 5))]
    text = split_chart(SplitChart("title", "note", ("won", "drawn", "lost"), rows))
    parts = list(ET.fromstring(text).iter("rect"))
    assert [each.get("class") for each in parts] == ["part part-0", "part part-1", "part part-2", "part part-2"]
    widths = [float(str(each.get("width"))) for each in parts]
    assert sum(widths[:3]) == pytest.approx(widths[3], abs=0.2)
    assert widths[0] == pytest.approx(6 * widths[2], abs=0.5)
    assert "6 won, 3 drawn, 1 lost" in text


# -- the modules -------------------------------------------------------------------------------------------------------


def evaluated(page: Page, module: str, expression: str) -> Any:
    """An expression with a module's exports, in a browser."""
    return page.run(f"{{ {script_of(FOLDER / f'{module}.js')}; {expression} }}")


def test_cells_have_the_same_names_as_in_the_runner(page: Page) -> None:
    cells = [(x, y) for x in range(32) for y in range(32)]
    names = evaluated(page, "cells", f"{json.dumps(cells)}.map(module_cells.cellName)")
    assert names == [cell_name(cell) for cell in cells]


def test_the_winning_stones_are_those_of_the_engine(page: Page) -> None:
    rng = random.Random(3)
    cells = [(x, y) for x in range(6) for y in range(6)]
    games = [rng.sample(cells, rng.randint(9, 36)) for _ in range(2000)]
    found = evaluated(page, "rows", f"{json.dumps(games)}.map(module_rows.winningCells)")
    won = [winning_stones(moves) for moves in games]
    assert [{(x, y) for x, y in each} for each in found] == won
    assert sum(map(bool, won)) > 20
    assert evaluated(page, "rows", "module_rows.winningCells([])") == []


def test_scores_of_every_size_fit_the_curve(page: Page) -> None:
    scores = [-1e9, -5e6, -1000, -1, 0, 1, 9, 10, 11, 1000, 5e6, 1e9]
    heights = evaluated(page, "curve", f"{json.dumps(scores)}.map(each => module_curve.height(each, 1e7))")
    assert heights == sorted(heights)
    assert len(set(heights)) == len(heights)
    assert (heights[0], heights[4], heights[-1]) == (-1, 0, 1)
    tops = evaluated(page, "curve", "[[], [5, null, -20], [1e9, -1e9], [123456]].map(module_curve.topOf)")
    assert tops == [1000, 1000, 1000, 1_000_000]


def test_a_place_on_the_curve_is_a_number_of_stones(page: Page) -> None:
    places = evaluated(page, "curve", "[-1, 0, 0.49, 0.5, 1, 2].map(share => module_curve.stonesAt(share, 10))")
    assert places == [0, 0, 5, 5, 10, 10]
    texts = evaluated(page, "curve", "[null, 0, 5, -7, 1e9, -1e9].map(module_curve.scoreText)")
    assert texts == ["", "0", "+5", "-7", "black wins", "white wins"]
