"""Every row of the protocol as a scripted dialogue: what is answered, and what is left alone."""

import pytest

from pbrain.core.params import BLACK, WHITE
from pbrain.core.types import Limits, Rule
from pbrain.engine import memory
from pbrain.engine.engine import Engine
from pbrain.engine.memory import max_threads
from pbrain.engine.timeman import search_limits
from tests.dialogue import MOVE, Conversation
from tests.naive_renju import RenjuReferee


@pytest.fixture
def talk(engine: Engine) -> Conversation:
    talk = Conversation(engine)
    assert talk.send("INFO timeout_turn 20", "START 15") == ["OK"]
    return talk


# -- lines -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["\n", "\r\n", "", " \r\n", "\t\n"])
@pytest.mark.parametrize("word", ["START", "start", "Start", "sTaRt"])
def test_any_case_and_any_line_ending(engine: Engine, word: str, ending: str) -> None:
    assert Conversation(engine).send(f"{word} 15{ending}") == ["OK"]
    assert engine.size == (15, 15)


def test_leading_blanks_and_blank_lines(talk: Conversation) -> None:
    assert talk.send("", "\r\n", "   \n", "  RESTART") == ["OK"]


@pytest.mark.parametrize(
    "line", ["HELLO", "STARTS 15", "10,10", "1,2,3", "DONE", "SUGGEST 1,1", "\x00\x01\xff", "é" * 9]
)
def test_an_unrecognised_line_gets_unknown_and_changes_nothing(talk: Conversation, line: str) -> None:
    talk.move("TURN 7,7")
    before = talk.position()
    (answer,) = talk.send(line)
    assert answer.startswith("UNKNOWN")
    assert talk.position() == before
    assert answer.isprintable()


def test_a_very_long_line(talk: Conversation) -> None:
    (answer,) = talk.send("x" * 100_000)
    assert answer.startswith("UNKNOWN x")
    assert len(answer) < 100


# -- starting ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [5, 6, 15, 19, 20, 22])
def test_start(engine: Engine, size: int) -> None:
    talk = Conversation(engine)
    assert talk.send(f"START {size}") == ["OK"]
    assert (engine.size, engine.moves, engine.to_move) == ((size, size), 0, BLACK)


def test_start_again_in_the_same_process(talk: Conversation) -> None:
    talk.move("BEGIN")
    assert talk.send("START 20") == ["OK"]
    assert (talk.engine.size, talk.engine.moves) == ((20, 20), 0)
    talk.move("BEGIN")


@pytest.mark.parametrize("arguments", ["4", "23", "0", "-5", "", "x", "15 15", "15,15", "1e1", "99999999999999999999"])
def test_impossible_starts_are_errors_that_offer_20(talk: Conversation, arguments: str) -> None:
    talk.move("BEGIN")
    before = talk.position()
    (answer,) = talk.send(f"START {arguments}")
    assert answer.startswith("ERROR ")
    assert "20" in answer
    assert talk.position() == before


def test_rectstart_takes_the_width_first(talk: Conversation) -> None:
    assert talk.send("RECTSTART 20,12") == ["OK"]
    assert talk.engine.size == (20, 12)
    assert talk.move("TURN 19,11")
    (answer,) = talk.send("TURN 11,12")
    assert answer.startswith("ERROR ")


@pytest.mark.parametrize("arguments", ["", "20", "4,20", "20,4", "23,20", "20,23", "a,b", "20,12,1", "20;12"])
def test_impossible_rectstarts_are_errors(talk: Conversation, arguments: str) -> None:
    before = talk.position()
    (answer,) = talk.send(f"RECTSTART {arguments}")
    assert answer.startswith("ERROR ")
    assert talk.position() == before


def test_restart_keeps_the_size(talk: Conversation) -> None:
    talk.send("RECTSTART 9,11")
    talk.move("BEGIN")
    assert talk.send("RESTART") == ["OK"]
    assert (talk.engine.size, talk.engine.moves) == ((9, 11), 0)


@pytest.mark.parametrize("first", [["BEGIN"], ["TURN 10,10"], ["BOARD", "10,10,2", "DONE"]])
def test_before_start_it_is_as_after_start_20(engine: Engine, first: list[str]) -> None:
    talk = Conversation(engine)
    talk.move("INFO timeout_turn 0", *first)
    assert engine.size == (20, 20)


# -- moves -------------------------------------------------------------------------------------------------------------


def test_begin_opens_in_the_centre(talk: Conversation) -> None:
    assert talk.move("BEGIN") == (7, 7)
    assert (talk.engine.moves, talk.engine.to_move) == (1, WHITE)
    before = talk.position()
    (answer,) = talk.send("BEGIN")
    assert answer.startswith("ERROR ")
    assert talk.position() == before


def test_a_move_is_exactly_x_y(talk: Conversation) -> None:
    lines = talk.hear_all("TURN 7,7", "TURN 1,1")
    moves = [line for line in lines if not line.startswith("MESSAGE ")]
    assert len(moves) == 2
    assert all(MOVE.fullmatch(line) for line in moves)


def test_turn_straight_after_start(talk: Conversation) -> None:
    x, y = talk.move("TURN 0,0")
    assert (x, y) != (0, 0)
    assert talk.engine.history == ((0, 0), (x, y))


@pytest.mark.parametrize(
    "arguments", ["7,7", "15,0", "0,15", "-1,3", "3,-1", "", "7", "7,", "a,b", "7,7,7", "7.0,8", "7 8"]
)
def test_impossible_turns_are_errors_and_change_nothing(talk: Conversation, arguments: str) -> None:
    talk.send("PLAY 7,7")
    before = talk.position()
    (answer,) = talk.send(f"TURN {arguments}")
    assert answer.startswith("ERROR ")
    assert talk.position() == before
    talk.move("TURN 6,6")


@pytest.mark.parametrize("text", ["TURN 6,5", "turn 6, 5", "TURN  6 , 5 ", "TURN +6,05"])
def test_spaces_and_signs_in_coordinates(talk: Conversation, text: str) -> None:
    talk.move(text)
    assert talk.engine.history[0] == (6, 5)


def test_play_repeats_the_move(talk: Conversation) -> None:
    assert talk.send("PLAY 3,4") == ["3,4"]
    before = talk.position()
    for arguments in ("3,4", "15,15", "", "x"):
        (answer,) = talk.send(f"PLAY {arguments}")
        assert answer.startswith("ERROR ")
    assert talk.position() == before


def test_takeback_newest_first(talk: Conversation) -> None:
    own = talk.move("TURN 7,7")
    before = talk.position()
    for arguments in ("7,7", "0,0", "", "20,20", "x"):
        (answer,) = talk.send(f"TAKEBACK {arguments}")
        assert answer.startswith("ERROR ")
    assert talk.position() == before
    assert talk.send(f"TAKEBACK {own[0]},{own[1]}", "TAKEBACK 7,7") == ["OK", "OK"]
    assert (talk.engine.moves, talk.engine.to_move) == (0, BLACK)
    (answer,) = talk.send("TAKEBACK 7,7")
    assert answer.startswith("ERROR ")
    talk.move("TURN 7,7")


def test_a_decided_or_full_board_is_an_error(talk: Conversation) -> None:
    stones = [f"{x},0,1" for x in range(5)] + [f"{x},1,2" for x in range(5)]
    before = talk.position()
    (answer,) = talk.send("BOARD", *stones, "DONE")
    assert answer == "ERROR the game is decided"
    assert talk.position() == before
    x, y = talk.move("BOARD", *[f"{x},0,2" for x in range(4)], *[f"{2 * x},4,1" for x in range(3)], "DONE")
    assert talk.send(f"TAKEBACK {x},{y}") == ["OK"]
    before = talk.position()
    assert talk.send("TURN 4,0") == ["ERROR the game is decided"]
    assert talk.position() == before


def test_a_full_board_is_an_error(engine: Engine) -> None:
    talk = Conversation(engine)
    talk.send("INFO timeout_turn 0", "START 5")
    rows = ["11221", "22112", "11221", "22112", "1122."]
    stones = [f"{x},{y},{owner}" for y, row in enumerate(rows) for x, owner in enumerate(row) if owner != "."]
    assert talk.move("BOARD", *stones, "DONE") == (4, 4)
    talk.send("TAKEBACK 4,4")
    before = talk.position()
    assert talk.send("TURN 4,4") == ["ERROR the board is full"]
    assert talk.position() == before


SAME_COLOUR_IN_A_ROW = ["BOARD", "1,1,2", "2,2,2", "3,4,1", "9,9,1", "10,3,2", "DONE"]


def colours(talk: Conversation) -> dict[tuple[int, int], int]:
    return {(x, y): colour for x, y, colour in talk.engine.stones}


def test_takeback_gives_the_turn_to_the_colour_of_the_stone(talk: Conversation) -> None:
    """Not to the colour whose turn it would have been while the block was read."""
    own = talk.move(*SAME_COLOUR_IN_A_ROW)
    assert (talk.brain.own_colour, talk.engine.to_move) == (WHITE, BLACK)
    for stone, mover in ((own, WHITE), ((10, 3), BLACK), ((9, 9), WHITE), ((3, 4), WHITE), ((2, 2), BLACK)):
        assert talk.send("TAKEBACK {},{}".format(*stone)) == ["OK"]
        assert (talk.engine.to_move, talk.brain.own_colour) == (mover, WHITE)
    reply = talk.move("TURN 2,2")
    assert colours(talk) == {(1, 1): BLACK, (2, 2): BLACK, reply: WHITE}


def test_a_turn_after_a_takeback_is_the_opponents_stone(talk: Conversation) -> None:
    own = talk.move(*SAME_COLOUR_IN_A_ROW)
    talk.send("TAKEBACK {},{}".format(*own), "TAKEBACK 10,3", "TAKEBACK 9,9", "TAKEBACK 3,4")
    reply = talk.move("TURN 12,12")
    assert (colours(talk)[12, 12], colours(talk)[reply]) == (BLACK, WHITE)


def test_a_turn_after_our_own_stone_was_taken_back(talk: Conversation) -> None:
    x, y = talk.move("TURN 7,7")
    assert talk.send(f"TAKEBACK {x},{y}") == ["OK"]
    reply = talk.move("TURN 3,3")
    assert colours(talk) == {(7, 7): BLACK, (3, 3): BLACK, reply: WHITE}


def test_on_an_empty_board_sides_are_chosen_again(talk: Conversation) -> None:
    x, y = talk.move("BEGIN")
    assert talk.send(f"TAKEBACK {x},{y}") == ["OK"]
    assert talk.brain.own_colour is None
    assert talk.engine.to_move == BLACK
    reply = talk.move("TURN 3,3")
    assert colours(talk) == {(3, 3): BLACK, reply: WHITE}


def test_taking_back_a_dead_stone_leaves_black_to_move_on_an_empty_board(talk: Conversation) -> None:
    talk.send("YXBOARD", "2,3,3", "DONE")
    (x, y, _), *_ = talk.engine.stones
    assert talk.send(f"TAKEBACK {x},{y}") == ["OK"]
    assert talk.engine.to_move == BLACK


@pytest.mark.parametrize(("question", "has_turned"), [("TURN 3,3", True), ("YXNBEST 2", False)])
def test_what_follows_yxboard(talk: Conversation, question: str, has_turned: bool) -> None:
    """It is our turn then; a TURN nevertheless is the opponent's stone."""
    assert talk.send("YXBOARD", "7,7,1", "8,8,2", "DONE") == []
    assert (talk.brain.own_colour, talk.engine.to_move) == (BLACK, BLACK)
    reply = talk.move(question)
    assert colours(talk) == {(7, 7): BLACK, (8, 8): WHITE, **({(3, 3): WHITE} if has_turned else {}), reply: BLACK}
    assert talk.brain.own_colour == BLACK


def test_begin_after_an_empty_yxboard(talk: Conversation) -> None:
    talk.send("YXBOARD", "DONE")
    assert talk.move("BEGIN") == (7, 7)
    assert (talk.brain.own_colour, talk.engine.to_move) == (BLACK, WHITE)


def test_play_is_our_stone(talk: Conversation) -> None:
    talk.send("PLAY 7,7")
    assert talk.brain.own_colour == BLACK
    reply = talk.move("TURN 8,8")
    assert colours(talk) == {(7, 7): BLACK, (8, 8): WHITE, reply: BLACK}


def test_a_decided_yxboard_keeps_the_order_of_its_stones(talk: Conversation) -> None:
    stones = [f"{x},0,1" for x in range(5)] + [f"{2 * x},9,2" for x in range(5)]
    assert talk.send("YXBOARD", *stones, "DONE") == []
    assert talk.engine.history[-1] == (8, 9)
    assert talk.send("TAKEBACK 8,9") == ["OK"]
    assert talk.send("TURN 8,9") == ["ERROR the game is decided"]


def test_a_takeback_does_not_bring_back_a_line_that_only_the_order_won(talk: Conversation) -> None:
    """Six in a row are no win here; five of them were one while the block was read."""
    six, others = [f"{x},0,1" for x in range(6)], [f"{2 * x},9,2" for x in range(6)]
    talk.send("INFO rule 1", "YXBOARD", *six, *others, "DONE")
    assert talk.send("TAKEBACK 10,9") == ["OK"]
    talk.move("TURN 12,12")


# -- blocks ------------------------------------------------------------------------------------------------------------


def test_board_replaces_the_position_and_gives_the_colours(talk: Conversation) -> None:
    talk.move("BEGIN")
    talk.move("BOARD", "7,7,2", "8,8,1", "9,9,2", "DONE")
    assert talk.engine.history[:3] == ((7, 7), (8, 8), (9, 9))
    assert [talk.engine.stone(*cell) for cell in ((7, 7), (8, 8), (9, 9))] == [1, 2, 1]
    assert talk.engine.to_move == BLACK
    talk.move("BOARD", "7,7,1", "8,8,2", "DONE")
    assert [talk.engine.stone(*cell) for cell in ((7, 7), (8, 8))] == [1, 2]


def test_an_empty_board_is_answered(talk: Conversation) -> None:
    assert talk.move("BOARD", "DONE") == (7, 7)


def test_board_in_any_order_and_any_case(talk: Conversation) -> None:
    talk.move("board", "1,1,2", "2,2,2", "3,4,1", "9,9,1", "10,3,2", "done")
    assert talk.engine.moves == 6


@pytest.mark.parametrize(
    "lines",
    [
        ["7,7,1", "7,7,2"],
        ["15,7,1"],
        ["7,7,0"],
        ["7,7,4"],
        ["7,7"],
        ["7,7,1", "what"],
        ["7,7,1", "TURN 3,3"],
        ["BEGIN"],
        ["7,7,1,1"],
        ["7;7;1"],
    ],
)
def test_a_bad_block_is_one_error_at_its_end(talk: Conversation, lines: list[str]) -> None:
    talk.move("BEGIN")
    before = talk.position()
    assert talk.send("BOARD", *lines) == []
    (answer,) = talk.send("DONE")
    assert answer.startswith("ERROR ")
    assert talk.position() == before
    talk.move("TURN 3,3")


def test_info_inside_a_block_is_heard(talk: Conversation) -> None:
    talk.move("BOARD", "7,7,1", "INFO rule 1", "INFO max_depth 2", "8,8,2", "DONE")
    assert talk.engine.rule == Rule.EXACT_FIVE


def test_start_inside_a_block_ends_it(talk: Conversation) -> None:
    assert talk.send("BOARD", "7,7,1", "START 10") == ["OK"]
    assert talk.engine.size == (10, 10)
    assert talk.move("BEGIN") == (5, 5)


def test_dead_stones_of_a_continuous_game_make_no_line(talk: Conversation) -> None:
    dead = [f"{x},5,3" for x in range(15)] + [f"4,{y},3" for y in range(15) if y != 5]
    talk.move("INFO rule 2", "BOARD", *dead, "8,8,1", "9,9,2", "DONE")
    assert talk.engine.winner is None
    assert talk.engine.rule == Rule.FREESTYLE


def test_a_continuous_game_goes_on_after_a_five(talk: Conversation) -> None:
    stones = [f"{x},0,1" for x in range(5)] + [f"{2 * x},9,2" for x in range(5)]
    talk.move("INFO rule 2", "BOARD", *stones, "DONE")


def test_a_line_that_only_the_order_of_stones_would_win(talk: Conversation) -> None:
    """Six in a row, and a five shut in at both ends, given in an order in which five came first."""
    six = [f"{x},0,1" for x in range(6)]
    others = [f"{2 * x},9,2" for x in range(6)]
    talk.move("INFO rule 1", "BOARD", *six, *others, "DONE")
    shut = ["1,0,1", "2,0,1", "3,0,1", "4,0,1", "5,0,1", "0,0,2", "6,0,2", "1,9,2", "3,9,2", "5,9,2"]
    talk.move("INFO rule 8", "BOARD", *shut, "DONE")
    assert talk.send("INFO rule 0", "BOARD", *shut, "DONE") == ["ERROR the game is decided"]


# -- swap2 -------------------------------------------------------------------------------------------------------------


def test_swap2_offers_three_stones(talk: Conversation) -> None:
    (answer,) = talk.send("INFO timeout_turn 200", "SWAP2BOARD", "DONE")
    moves = answer.split(" ")
    assert len(moves) == len(set(moves)) == 3
    assert all(MOVE.fullmatch(move) for move in moves)


def test_swap2_takes_the_better_side_of_five(talk: Conversation) -> None:
    # Black has an open three: white, to move, would rather be black.
    lost = ["7,7", "0,0", "8,7", "14,14", "9,7"]
    assert talk.send("INFO timeout_turn 300", "SWAP2BOARD", *lost, "DONE") == ["SWAP"]
    # White has two beside each other and the move; black's stones lie in the corners.
    (answer,) = talk.send("SWAP2BOARD", "0,0", "7,7", "14,14", "8,7", "0,14", "DONE")
    assert MOVE.fullmatch(answer)


def test_swap2_answers_three_stones_in_one_of_three_ways(talk: Conversation) -> None:
    answers = []
    for stones in (["7,7", "0,0", "8,8"], ["0,0", "7,7", "14,14"], ["7,7", "8,8", "4,9"]):
        (answer,) = talk.send("INFO timeout_turn 200", "SWAP2BOARD", *stones, "DONE")
        answers.append(answer)
        assert answer == "SWAP" or all(MOVE.fullmatch(move) for move in answer.split(" "))
        assert len(answer.split(" ")) <= 2
        assert not set(answer.split(" ")) & set(stones)
    assert answers[0] == "SWAP"
    assert answers[1] != "SWAP"


@pytest.mark.parametrize(
    "stones", [["7,7"], ["7,7", "7,7", "8,8"], ["7,7", "8,8", "99,9"], ["7,7,1", "8,8,2", "9,9,1"]]
)
def test_impossible_swap2_boards_are_errors(talk: Conversation, stones: list[str]) -> None:
    (answer,) = talk.send("SWAP2BOARD", *stones, "DONE")
    assert answer.startswith("ERROR ")
    talk.move("BEGIN")


# -- info --------------------------------------------------------------------------------------------------------------

INFO_LINES = [
    "INFO timeout_turn 50",
    "INFO timeout_match 100000",
    "INFO timeout_match 0",
    "INFO time_left 90000",
    "INFO time_left -200",
    "INFO time_left 2147483647",
    "INFO time_increment 100",
    "INFO max_memory 367001600",
    "INFO max_memory 0",
    "INFO max_memory 1",
    "INFO game_type 3",
    "INFO rule 1",
    "INFO folder C:\\brains\\data",
    "INFO evaluate 3,4",
    "INFO max_depth 3",
    "INFO max_node 500",
    "INFO thread_num 4",
    "INFO hash_size 2048",
    "INFO pondering 1",
    "INFO caution_factor 2",
    "INFO show_detail 0",
    "INFO",
    "INFO x",
    "INFO rule",
    "INFO rule freestyle",
    "INFO rule 5",
    "INFO timeout_turn soon",
    "INFO timeout_turn -1",
    "INFO TIMEOUT_TURN 30",
    "INFO max_node 99999999999999999999999",
    "INFO max_memory 99999999999999999999999",
    "INFO hash_size 99999999999999999999999",
]


@pytest.mark.parametrize("line", INFO_LINES)
def test_info_is_never_answered_and_the_next_move_comes(talk: Conversation, line: str) -> None:
    assert talk.hear_all(line) == []
    talk.move("INFO max_depth 2", "TURN 7,7")


def test_info_before_start(engine: Engine) -> None:
    talk = Conversation(engine)
    assert talk.send("INFO rule 4", "INFO timeout_turn 0", "START 15") == ["OK"]
    assert engine.rule == Rule.RENJU


@pytest.mark.parametrize(("mask", "rule"), [(0, 0), (1, 1), (2, 0), (3, 1), (4, 4), (8, 8), (9, 9)])
def test_rules(talk: Conversation, mask: int, rule: int) -> None:
    talk.move("TURN 7,7")
    stones = talk.engine.history
    assert talk.send(f"INFO rule {mask}") == []
    assert talk.engine.rule == rule
    assert talk.engine.history == stones
    assert talk.engine.to_move == BLACK


def test_rule_2_is_renju_to_a_graphical_board(talk: Conversation) -> None:
    talk.send("INFO show_detail 1", "INFO rule 2")
    assert talk.engine.rule == Rule.RENJU


def test_the_smallest_memory_that_works(talk: Conversation) -> None:
    talk.send("INFO max_memory 1")
    assert talk.engine.table_bytes == 1 << 20
    talk.move("TURN 7,7")
    talk.send("INFO max_memory 367001600")
    assert talk.engine.table_bytes == 286 << 20
    talk.send("INFO hash_size 4096")
    assert talk.engine.table_bytes == 4 << 20


def test_thread_num(talk: Conversation, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "max_threads", lambda: 3)
    threads = []
    for asked in (2, 3, 4, 1):
        assert talk.hear_all(f"INFO thread_num {asked}") == []
        threads.append((1 + len(talk.engine._helpers), (286 << 20) - talk.engine.table_bytes >= (asked > 1) * 4 << 20))
    assert threads == [(2, True), (3, True), (3, True), (1, True)]
    assert talk.engine.table_bytes == 286 << 20
    talk.send("INFO thread_num 3", "INFO max_memory 80000000")  # two states and workers would take more than half
    assert 1 + len(talk.engine._helpers) == 2
    talk.move("TURN 7,7")


@pytest.mark.parametrize("number", ["0", "-2", "", "two", "1.5", "0x2"])
def test_a_thread_num_that_is_no_number_of_threads_changes_nothing(
    talk: Conversation, number: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "max_threads", lambda: 3)
    talk.send("INFO thread_num 2")
    size = talk.engine.table_bytes
    (told,) = talk.hear_all(f"INFO thread_num {number}")
    assert told == "MESSAGE thread_num needs a number of threads from 1 on; nothing has changed"
    assert (len(talk.engine._helpers), talk.engine.table_bytes) == (1, size)
    talk.move("TURN 7,7")


def test_max_depth_and_max_node(talk: Conversation) -> None:
    talk.send("INFO timeout_turn 60000", "INFO max_depth 3", "PLAY 7,7", "PLAY 8,8")
    lines = talk.hear_all("TURN 6,8")
    assert [line.split()[2].split("-")[0] for line in lines[:-1]] == ["1", "2", "3"]
    first = talk.hear_all("START 15", "INFO max_depth 0", "INFO max_node 5000", "PLAY 7,7", "PLAY 8,8", "TURN 6,8")
    again = talk.hear_all("START 15", "PLAY 7,7", "PLAY 8,8", "TURN 6,8")
    assert [line for line in first if "MESSAGE" not in line] == [line for line in again if "MESSAGE" not in line]
    assert len(first) == len(again) > 5
    assert talk.engine._worker.nodes < 5010


# -- the rest ----------------------------------------------------------------------------------------------------------


def test_about(talk: Conversation) -> None:
    (answer,) = talk.send("ABOUT")
    assert [part.split("=")[0] for part in answer.split(", ")] == [
        "name",
        "version",
        "author",
        "country",
        "www",
        "email",
    ]
    assert answer.startswith('name="Kaname", version="')


@pytest.mark.parametrize("word", ["STOP", "YXSTOP"])
def test_stop_while_idle_says_nothing(talk: Conversation, word: str) -> None:
    assert talk.hear_all(word) == []
    lines = talk.hear_all("INFO timeout_turn 300", "TURN 7,7", "TURN 3,3")
    assert any("depth 3" in line for line in lines), "a stop that came before the question has no effect"


def test_a_stop_heard_after_the_question_is_obeyed(talk: Conversation) -> None:
    talk.send("INFO timeout_turn 60000", "PLAY 7,7", "PLAY 8,8")
    question = talk.brain.hear("TURN 9,7")
    stop = talk.brain.hear("STOP")
    talk.written.clear()
    talk.brain.act(question)
    talk.brain.act(stop)
    assert len([line for line in talk.written if MOVE.fullmatch(line)]) == 1
    assert talk.engine._worker.nodes < 10


def test_end_ends(talk: Conversation) -> None:
    assert talk.hear_all("END") == []
    assert talk.brain.has_ended


def test_zero_milliseconds_take_and_block_a_five(talk: Conversation) -> None:
    four = ["3,3,1", "4,3,1", "5,3,1", "6,3,1"]
    for rule in Rule:
        talk.send("START 15", f"INFO rule {rule}", "INFO timeout_turn 0")
        assert talk.move("BOARD", *four, "3,9,2", "4,9,2", "5,9,2", "6,9,2", "DONE") in ((2, 3), (7, 3))
        blocked = [line.replace(",1", ",2") if line.endswith(",1") else line for line in four]
        assert talk.move("BOARD", *blocked, "2,3,1", "9,9,1", "0,14,1", "14,0,1", "DONE") == (7, 3)


def test_yixin_board_commands(talk: Conversation) -> None:
    assert (
        talk.hear_all(
            "INFO rule 4", "YXBOARD", "5,7,1", "0,0,2", "6,7,1", "0,2,2", "7,5,1", "0,4,2", "7,6,1", "0,6,2", "done"
        )
        == []
    )
    assert talk.engine.moves == 8
    assert talk.send("YXSHOWFORBID") == ["FORBID 0707."]
    assert talk.send("yxhashclear") == []
    assert talk.hear_all("YXSHOWINFO") == [
        f"MESSAGE INFO MAX_THREAD_NUM {max_threads()}",
        f"MESSAGE INFO MAX_HASH_SIZE {talk.engine.table_bytes // 1024}",
    ]
    assert talk.move("INFO timeout_turn 100", "YXNBEST 3") != (7, 7)
    (answer,) = talk.send("YXNBEST 0")
    assert answer.startswith("ERROR ")


def test_yxshowforbid_has_nothing_to_show_white(talk: Conversation) -> None:
    talk.send("INFO rule 4", "YXBOARD", "5,7,1", "6,7,1", "7,5,1", "7,6,1", "0,0,2", "done")
    talk.engine.to_move = WHITE
    assert talk.send("YXSHOWFORBID") == ["FORBID ."]


def test_several_best_moves_are_ranked(talk: Conversation) -> None:
    talk.send("INFO timeout_turn 60000", "INFO max_depth 2", "PLAY 7,7", "PLAY 8,8", "PLAY 6,6", "PLAY 9,9")
    lines = talk.hear_all("YXNBEST 3")
    second = [line.split(" pv ")[1].split()[0] for line in lines if line.startswith("MESSAGE depth 2-")]
    assert len(second) == len(set(second)) == 3


@pytest.mark.parametrize("nodes", range(300, 9_000, 700))
def test_several_best_moves_are_told_by_score_and_depth(talk: Conversation, nodes: int) -> None:
    """Whenever a search is stopped, the last lines told share a depth and are sorted."""
    talk.send(f"INFO max_node {nodes}", "PLAY 7,7", "PLAY 8,8", "PLAY 6,6", "PLAY 9,9", "PLAY 8,6")
    told = [line.split() for line in talk.hear_all("YXNBEST 3") if line.startswith("MESSAGE depth")]
    for first in range(0, len(told), 3):
        lines = told[first : first + 3]
        assert len({words[2].split("-")[0] for words in lines}) == 1
        scores = [int(words[4]) for words in lines if words[3] == "ev"]
        assert scores == sorted(scores, reverse=True)


def test_messages_that_people_can_read(talk: Conversation) -> None:
    lines = talk.hear_all("INFO timeout_turn 200", "PLAY 7,7", "PLAY 8,8", "TURN 6,8")
    messages = [line for line in lines if line.startswith("MESSAGE ")]
    assert messages
    for message in messages:
        words = message.split()
        assert words[1] == "depth"
        assert words[3] == "ev"
        assert words[4][0] in "+-"
        assert words[5::2][:4] == ["n", "n/s", "tm", "pv"]
    assert not any("REALTIME" in message for message in messages)


def test_a_proven_win_is_reported_as_one(talk: Conversation) -> None:
    talk.send("INFO timeout_turn 1000")
    lines = talk.hear_all(
        "BOARD", "5,5,1", "6,5,1", "7,5,1", "4,5,2", "5,7,1", "6,8,1", "0,0,2", "0,2,2", "0,4,2", "2,0,2", "DONE"
    )
    assert any("win in" in line for line in lines), lines


def test_realtime_messages_only_when_asked(talk: Conversation) -> None:
    talk.send("INFO show_detail 1", "INFO timeout_turn 1000", "PLAY 7,7", "PLAY 8,8")
    lines = talk.hear_all("TURN 6,8")
    assert any(line.startswith("MESSAGE REALTIME BEST ") for line in lines)
    assert any(line.startswith("MESSAGE REALTIME PV ") for line in lines)
    talk.send("START 15", "INFO show_detail 0", "PLAY 7,7", "PLAY 8,8")
    assert not any("REALTIME" in line for line in talk.hear_all("TURN 6,8"))


# -- gomocup's acceptance positions ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "position", "wanted", "unwanted"),
    [
        *[(rule, "h8h9i8i9j8j9k8k9", "g8 l8", "") for rule in (0, 1, 4, 8)],
        (1, "h8h9i8h10g8h11j13h12g14h14i15", "f8 j8", ""),
        (4, "h8h9i7i9h10i6i11i12", "", "g9"),
        (8, "h8f8g8f9i8f7j8l8", "f5 f6 f10 f11", ""),
    ],
)
@pytest.mark.parametrize("turn_ms", [0, 30, 500])
def test_gomocups_acceptance_positions(
    talk: Conversation, turn_ms: int, rule: int, position: str, wanted: str, unwanted: str
) -> None:
    from pbrain.core.notation import cell_name, parse_position

    moves = parse_position(position)
    own = len(moves) % 2
    stones = [f"{x},{y},{1 if i % 2 == own else 2}" for i, (x, y) in enumerate(moves)]
    move = cell_name(talk.move(f"INFO rule {rule}", f"INFO timeout_turn {turn_ms}", "BOARD", *stones, "DONE"))
    assert not wanted or move in wanted.split()
    assert move not in unwanted.split()


def test_black_never_plays_a_forbidden_point_in_renju(engine: Engine) -> None:
    """Self-play with hardly any time, where a careless order of moves would show."""
    for seed in range(6):
        talk = Conversation(engine)
        talk.send("INFO rule 4", "START 15", f"INFO max_node {100 + 150 * seed}", "INFO timeout_turn 1000")
        (x, y) = talk.move("TURN 7,7")
        stones = {(7, 7): "X", (x, y): "O"}
        limits = Limits(nodes=100 + 150 * seed)
        for ply in range(2, 120):
            if engine.winner is not None or engine.is_full:
                break
            colour = "XO"[ply % 2]
            engine.allow_thinking()
            move = engine.think(search_limits(limits, engine.now_ns())).move
            if colour == "X":
                assert RenjuReferee(15, 15, stones).foul(move) is None
            stones[move] = colour
            engine.play(*move)
