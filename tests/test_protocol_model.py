"""Random conversations against a plain model of the protocol: stones, colours and turns agree after every line."""

import re
from collections.abc import Sequence
from itertools import chain

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from pbrain.core.params import BLACK, WHITE
from pbrain.engine.engine import Engine
from tests.dialogue import Conversation
from tests.naive import Cell, empty_board, move_wins

MOVE = re.compile(r"(\d+),(\d+)")
RULES = {0: 0, 1: 1, 2: 0, 3: 1, 4: 4, 6: 4, 8: 8, 9: 9, 10: 8}  # what `INFO rule` says -> what is played
MIN_SIZE, MAX_SIZE = 5, 22
EVERYDAY_EXAMPLES, FULL_EXAMPLES = 300, 10_000


class Model:
    """What a manager may expect; every answer is checked, and nothing is taken from the engine but its moves."""

    def __init__(self) -> None:
        self.width = self.height = 20
        self.rule = 0
        self.is_continuous = self.is_gui = False
        self.stones: list[tuple[Cell, int]] = []  # in order, with their colours
        self.to_move = BLACK
        self.own: int | None = None
        self.is_decided = False
        self.block: list[str] | None = None  # the lines of an open block, its command first

    # -- the board -----------------------------------------------------------------------------------------------------

    @property
    def taken(self) -> set[Cell]:
        return {cell for cell, _ in self.stones}

    def is_free(self, cell: Cell) -> bool:
        return 0 <= cell[0] < self.width and 0 <= cell[1] < self.height and cell not in self.taken

    def wins(self, cell: Cell) -> bool:
        board = empty_board(self.width, self.height)
        for (x, y), colour in self.stones:
            board[y][x] = "XO"[colour]
        return move_wins(board, cell, self.rule)

    def place(self, cell: Cell, colour: int) -> None:
        self.stones.append((cell, colour))
        self.to_move = 1 - colour
        self.is_decided = self.is_decided or self.wins(cell)

    def set_stones(self, stones: list[tuple[Cell, int]], to_move: int) -> None:
        self.stones, self.to_move = stones, to_move
        self.is_decided = any(self.wins(cell) for cell, _ in stones)

    @property
    def state(self) -> tuple[object, ...]:
        return (self.width, self.height), self.rule, self.stones, self.to_move, self.own

    # -- lines ---------------------------------------------------------------------------------------------------------

    def hear(self, line: str, answers: Sequence[str]) -> None:
        """Follow a line and what was answered to it."""
        word, _, rest = line.partition(" ")
        if self.block is not None and word not in ("START", "RECTSTART", "RESTART", "INFO", "DONE"):
            self.block.append(line)
            assert answers == []
            return
        numbers = [int(number) for number in re.findall(r"-?\d+", rest)]
        getattr(self, f"hear_{word.lower()}")(numbers, answers)

    def hear_start(self, numbers: list[int], answers: Sequence[str]) -> None:
        self.hear_rectstart([*numbers, *numbers], answers)

    def hear_rectstart(self, numbers: list[int], answers: Sequence[str]) -> None:
        self.block = None
        if not all(MIN_SIZE <= number <= MAX_SIZE for number in numbers):
            expect_error(answers)
            return
        self.width, self.height = numbers
        self.hear_restart([], answers)

    def hear_restart(self, _: list[int], answers: Sequence[str]) -> None:
        self.block = self.own = None
        self.set_stones([], BLACK)
        assert answers == ["OK"]

    def hear_begin(self, _: list[int], answers: Sequence[str]) -> None:
        if self.stones:
            expect_error(answers)
        else:
            self.answer(answers)

    def hear_turn(self, numbers: list[int], answers: Sequence[str]) -> None:
        before = list(self.stones), self.to_move, self.own, self.is_decided
        cell = numbers[0], numbers[1]
        if not self.is_free(cell):
            expect_error(answers)
            return
        colour = self.to_move if self.own is None else 1 - self.own
        self.place(cell, colour)
        self.own = 1 - colour
        if not self.answer(answers):
            self.stones, self.to_move, self.own, self.is_decided = before

    def hear_play(self, numbers: list[int], answers: Sequence[str]) -> None:
        cell = numbers[0], numbers[1]
        if not self.is_free(cell):
            expect_error(answers)
            return
        self.own = self.to_move
        self.place(cell, self.own)
        assert answers == [f"{cell[0]},{cell[1]}"]

    def hear_takeback(self, numbers: list[int], answers: Sequence[str]) -> None:
        cell = numbers[0], numbers[1]
        if not self.stones or self.stones[-1][0] != cell:
            expect_error(answers)
            return
        *stones, (_, colour) = self.stones
        self.set_stones(stones, colour if stones else BLACK)
        if not stones:
            self.own = None
        assert answers == ["OK"]

    def hear_yxnbest(self, _: list[int], answers: Sequence[str]) -> None:
        self.is_gui = True
        self.answer(answers)

    def hear_info(self, numbers: list[int], answers: Sequence[str]) -> None:
        assert answers == []
        mask = 4 if self.is_gui and numbers == [2] else numbers[0]
        if mask not in RULES:
            return
        self.is_continuous = bool(mask & 2)
        if RULES[mask] != self.rule:
            self.rule = RULES[mask]
            self.set_stones(self.stones, self.to_move)

    # -- blocks --------------------------------------------------------------------------------------------------------

    def hear_board(self, _: list[int], answers: Sequence[str]) -> None:
        self.block = ["BOARD"]
        assert answers == []

    def hear_yxboard(self, _: list[int], answers: Sequence[str]) -> None:
        self.block, self.is_gui = ["YXBOARD"], True
        assert answers == []

    def hear_swap2board(self, _: list[int], answers: Sequence[str]) -> None:
        self.block = ["SWAP2BOARD"]
        assert answers == []

    def hear_done(self, _: list[int], answers: Sequence[str]) -> None:
        if self.block is None:
            assert [answer.split()[0] for answer in answers] == ["UNKNOWN"]
            return
        (opened_by, *lines), self.block = self.block, None
        length = 2 if opened_by == "SWAP2BOARD" else 3
        stones = [[int(part) for part in line.split(",")] for line in lines if re.fullmatch(r"\d+(,\d+)+", line)]
        cells = [(stone[0], stone[1]) for stone in stones]
        is_right = len(stones) == len(lines) and all(len(stone) == length for stone in stones)
        is_right = is_right and all(x < self.width and y < self.height for x, y in cells)
        is_right = is_right and len(set(cells)) == len(cells)
        if opened_by == "SWAP2BOARD":
            self.close_swap2(is_right and len(cells) in (0, 3, 5), answers)
        elif not (is_right and all(stone[2] in (1, 2, 3) for stone in stones)):
            expect_error(answers)
        else:
            self.close_board(stones, opened_by == "BOARD", answers)

    def close_swap2(self, is_right: bool, answers: Sequence[str]) -> None:
        """The board that is played on stays as it is."""
        (answer,) = answers
        assert answer.startswith("ERROR") != is_right

    def close_board(self, stones: list[list[int]], is_question: bool, answers: Sequence[str]) -> None:
        before = list(self.stones), self.to_move, self.own, self.is_decided
        owners = [owner for _, _, owner in stones]
        own = BLACK if owners.count(1) >= owners.count(2) else WHITE
        colours = {1: own, 2: 1 - own}
        placed = [((x, y), colours.get(owner, (x + 2 * y) // 2 % 2)) for x, y, owner in stones]
        self.set_stones(placed, own)
        self.own = own if stones else None
        if not is_question:
            assert answers == []
        elif not self.answer(answers):
            self.stones, self.to_move, self.own, self.is_decided = before

    def answer(self, answers: Sequence[str]) -> bool:
        """The answer to a question is a free cell, which is ours then, unless the game is over."""
        (answer,) = answers
        if (self.is_decided and not self.is_continuous) or len(self.stones) == self.width * self.height:
            expect_error(answers)
            return False
        found = MOVE.fullmatch(answer)
        assert found, answer
        cell = int(found[1]), int(found[2])
        assert self.is_free(cell)
        self.own, self.is_decided = self.to_move, False
        self.place(cell, self.own)
        return True


def expect_error(answers: Sequence[str]) -> None:
    (answer,) = answers
    assert answer.startswith("ERROR "), answer


# -- conversations -----------------------------------------------------------------------------------------------------

near = st.integers(0, 6)
cells = st.builds("{},{}".format, near, near)
owned = st.builds("{},{},{}".format, near, near, st.sampled_from("1122223"))
NEWEST = "TAKEBACK newest"  # the model knows which stone that is
few_stones = st.lists(owned, max_size=14, unique_by=lambda line: line.rpartition(",")[0])
blocks = st.one_of(
    st.builds(lambda word, stones: [word, *stones, "DONE"], st.sampled_from(["BOARD", "YXBOARD"]), few_stones),
    st.lists(cells, max_size=5).map(lambda stones: ["SWAP2BOARD", *stones, "DONE"]),
)
single = st.one_of(
    cells.map("TURN {}".format),
    cells.map("TURN {}".format),
    cells.map("PLAY {}".format),
    st.just(NEWEST),
    st.just(NEWEST),
    cells.map("TAKEBACK {}".format),
    st.sampled_from(["BEGIN", "YXNBEST 2", "RESTART", "DONE", "BOARD", "YXBOARD", "SWAP2BOARD"]),
    st.sampled_from([*RULES, 5, 7, -1]).map("INFO rule {}".format),
    st.sampled_from([5, 6, 7, 4, 23]).map("START {}".format),
    st.builds("RECTSTART {},{}".format, st.integers(4, 8), st.integers(4, 8)),
    owned.map(str),
).map(lambda line: [line])
conversations = st.lists(st.one_of(single, single, blocks), max_size=25).map(lambda parts: list(chain(*parts)))


def converse(engine: Engine, lines: list[str]) -> None:
    """Say the lines, and compare with the model after each of them."""
    talk, model = Conversation(engine), Model()
    for line in ("START 20", "INFO rule 0"):
        model.hear(line, talk.send(line))
    talk.send("INFO timeout_turn 0")
    for line in lines:
        if line == NEWEST:
            line = "TAKEBACK {},{}".format(*model.stones[-1][0]) if model.stones else "TAKEBACK 0,0"
        if model.block is None and re.match(r"\d", line):
            assert talk.send(line)[0].startswith("UNKNOWN ")
        else:
            model.hear(line, talk.send(line))
        stones = [((x, y), colour) for x, y, colour in engine.stones]
        assert (engine.size, engine.rule, stones, engine.to_move, talk.brain.own_colour) == model.state, line


WITHOUT_DEADLINE = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
SAME_COLOUR_IN_A_ROW = ["BOARD", "1,1,2", "2,2,2", "3,4,1", "6,6,1", "5,3,2", "DONE"]


@settings(WITHOUT_DEADLINE, max_examples=EVERYDAY_EXAMPLES)
@example([*SAME_COLOUR_IN_A_ROW, NEWEST, NEWEST, NEWEST, NEWEST, "TURN 0,5", NEWEST, "TURN 0,6"])
@example(["YXBOARD", "1,1,1", "2,2,2", "DONE", "TURN 3,3", NEWEST, "YXNBEST 2", NEWEST, NEWEST, "PLAY 5,5"])
@example(["YXBOARD", "2,3,3", "DONE", NEWEST, "BEGIN", NEWEST, "TURN 1,1"])
@example(["BOARD", "0,0,1", "1,0,1", "2,0,1", "3,0,1", "4,0,1", "DONE", "TURN 4,4", "INFO rule 2", "TURN 5,5"])
@given(lines=conversations)
def test_the_game_is_as_a_plain_model_has_it(engine: Engine, lines: list[str]) -> None:
    converse(engine, lines)


@pytest.mark.slow
@settings(WITHOUT_DEADLINE, max_examples=FULL_EXAMPLES)
@given(lines=conversations)
def test_the_game_is_as_a_plain_model_has_it_in_full(engine: Engine, lines: list[str]) -> None:
    converse(engine, lines)
