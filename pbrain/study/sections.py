"""The sections of the page: figures, what the documents say about them, and what was measured for each system."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from pbrain.study import figures
from pbrain.study.estimate import Estimate
from pbrain.study.measured import Measured
from pbrain.study.positions import STAGE_STARTS
from pbrain.study.systems import BOUNDARY, BRAINS, KANAME, NAMES
from pbrain.study.words import count_text, factor_text, percent_text, rounded, time_text, times_text

NOTHING = "too few games to say"


class Section(NamedTuple):
    """`claimed` is what the documents say; `measured` has a sentence for each system."""

    key: str
    title: str
    charts: Sequence[str]
    claimed: str
    measured: Mapping[str, str]
    note: str = ""


def sections(measured: Measured) -> list[Section]:
    makers: tuple[Callable[[Measured], Section], ...] = (
        depth_section, second_section, course_section, stage_section, map_section, idea_section, feature_section,
        distant_section, score_section,
    )  # fmt: skip
    return [make(measured) for make in makers]


def text_of(found: Estimate | None, words: Callable[[Estimate], str]) -> str:
    return NOTHING if found is None else words(found)


def depth_section(measured: Measured) -> Section:
    said = {}
    for name in NAMES:
        deepest = max(measured.depths(name))
        times = [f"depth {depth} in {times_text(measured.time(name, depth))}" for depth in (1, 4, deepest)]
        growth = f"nodes grow {factor_text(measured.branching(name))} per ply"
        said[name] = f"{'; '.join(dict.fromkeys(times))}; {growth}"
    return Section(
        "depths", "Time and nodes against depth",
        [figures.time_over_depth(measured), figures.nodes_over_depth(measured), figures.branching(measured)],
        "001: 0.24 s, 1.65 s, 24.57 s, 1 to 3 s and over 30 s for depths 1 to 5, which is exponential growth. "
        "002: about 2 s at depth 2, less than 0.5 s at depth 0. 000: depth 3 within 2 s.",
        said,
        "Each search begins with nothing in its tables. Kaname's count has all iterations up to the depth, and it "
        "extends and reduces lines, so its depth is not the brains' depth.",
    )  # fmt: skip


def second_section(measured: Measured) -> Section:
    said = {
        name: f"depth {text_of(measured.depth_in_a_second(name), count_text)}, "
        f"{text_of(measured.nodes_per_second(name), count_text)} nodes per second"
        for name in NAMES
    }
    return Section(
        "second", "What one second is worth", figures.in_a_second(measured),
        "The documents fix the depth and let the time vary: depth 3 (000), 4 (001) and 2 (002).", said,
        "A second of CPU time. A brain's depth is that of the deepest search that ends within it. Positions that "
        "Kaname solves are left out of its own numbers.",
    )  # fmt: skip


def course_section(measured: Measured) -> Section:
    said = {}
    for name in NAMES:
        course, depths = measured.time_by_move(name), measured.depth_by_move(name)
        if not course:
            said[name] = NOTHING
            continue
        slowest = max(course, key=lambda number: course[number].value)
        first = min(course)
        said[name] = (
            f"move {first} takes {time_text(course[first].value)}, the slowest is move {slowest} with "
            f"{time_text(course[slowest].value)}"
        )
        if depths:
            values = [each.value for each in depths.values()]
            said[name] += f"; mean depth {rounded(min(values))} to {rounded(max(values))}"
    return Section(
        "course", "Time and depth over the game",
        [*figures.time_over_game(measured), figures.depth_over_game(measured)],
        "001 shows how the time of a move varies over a game, and says that it rises as the board fills.", said,
        "Moves that were forced are left out. Points that fewer than three games have reached are not drawn.",
    )  # fmt: skip


def stage_section(measured: Measured) -> Section:
    said = {
        name: f"middle against early {text_of(measured.stage_contrast(name, 'middle', 'early'), factor_text)}; "
        f"late against middle {text_of(measured.stage_contrast(name, 'late', 'middle'), factor_text)}"
        for name in NAMES
    }
    _, middle, late = STAGE_STARTS
    return Section(
        "stages", "Early, middle and late game", [figures.stages(measured)],
        "001: early moves are fast, those of the middle game take the most time, late ones may take slightly less.",
        said,
        f"Early: fewer than {middle} stones on the board. Late: {late} or more.",
    )  # fmt: skip


def map_section(measured: Measured) -> Section:
    said = {
        name: f"a move near the centre takes {text_of(measured.centre_contrast(name), factor_text)} as long as one "
        "near the edges"
        for name in NAMES
    }
    return Section(
        "maps", "Where the time goes on the board", figures.heat_maps(measured),
        "001: moves near the centre take longer than those near the edges.", said,
        "Times are from the games of fixed depth, which begin in the centre; moves are from all games.",
    )  # fmt: skip


def idea_section(measured: Measured) -> Section:
    said = {KANAME: "see its own features below"}
    for name in BRAINS:
        found = measured.worths(name).items()
        said[name] = "; ".join(f"without {idea} {factor_text(worth.time)} as long" for idea, worth in found)
    return Section(
        "ideas", "What each optimisation is worth", figures.ideas(measured),
        "001: a branching factor 7 to 11 times smaller by the boundary, 30 to 50 % less time by the table, 40 to 60 % "
        "by ordering, 99 % less evaluation by counting changes alone. 000: alpha-beta and candidates within two cells. "
        "002: scores along one direction, ten candidates at most.",
        said,
        "Each idea is left out of the brain that has it, and nothing else is changed.",
    )  # fmt: skip


def feature_section(measured: Measured) -> Section:
    found = measured.features()
    refusal = measured.study.variants.refusal
    said = dict.fromkeys(BRAINS, "its ideas are above")
    slower = sorted(found, key=lambda name: -found[name].time.value)
    said[KANAME] = (
        "; ".join(f"without {name} {factor_text(found[name].time)} as long" for name in slower[:3])
        if found
        else f"not measured: {refusal}"
    )
    return Section(
        "features", "What our own features are worth", figures.features(measured),
        "The documents do not have these features.", {name: said[name] for name in NAMES},
        "The time to a depth is not strength: some features look at fewer moves, others at the same moves in more "
        "depth. What they gain in games is in the README.",
    )  # fmt: skip


def distant_section(measured: Measured) -> Section:
    nodes, move = measured.changed_by_monitoring()
    said = {}
    for name in NAMES:
        wins = measured.wins(name)
        said[name] = (
            f"{percent_text(measured.distant_wins(wins))} of its {len(wins)} wins were from afar" if wins else "no win"
        )
    said[BOUNDARY] += (
        f"; monitoring changes its search in {percent_text(nodes)} of positions, and its move in {percent_text(move)}"
    )
    return Section(
        "distant", "How often distant threats decide", [figures.distant(measured)],
        "001: monitoring distant stones prevents the AI from missing certain winning threats.", said,
        "A game is won from afar if at least two stones of the five were more than three cells, by Manhattan distance, "
        "from all stones of the loser when they were placed.",
    )  # fmt: skip


def score_section(measured: Measured) -> Section:
    said = {}
    for name in NAMES:
        points, games = measured.score(name)
        said[name] = f"{points:g} points in {games} games, {percent_text(measured.score_share(name))}"
    return Section(
        "score", "The round robin", [figures.scores(measured)],
        "002: competitive results on the platform of its course. 001: formidable against casual players.", said,
        f"{measured.plan.turn_text} per move, colours swapped, the openings that ship.",
    )  # fmt: skip
