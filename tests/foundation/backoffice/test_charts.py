import pytest

from foundation.backoffice.charts import HEIGHT, TOP, pair_of_bars, round_step, round_up


def test_two_bars_stand_side_by_side_on_the_base():
    inward, outward = pair_of_bars(0, 10, 100, [(100, "in"), (50, "out")])

    assert (inward.kind, outward.kind) == ("in", "out")
    assert (inward.height, outward.height) == (HEIGHT, HEIGHT / 2)
    assert inward.y + inward.height == outward.y + outward.height == TOP + HEIGHT
    assert inward.x + inward.width < outward.x


@pytest.mark.parametrize(("number", "step", "top"), [(1, 5, 5), (5, 5, 5), (6, 5, 10)])
def test_the_highest_line_is_a_whole_number_of_steps(number, step, top):
    assert round_up(number, step) == top


@pytest.mark.parametrize(("number", "step"), [(4, 1), (5, 2), (8, 2), (21, 10), (400, 100)])
def test_the_fewest_round_steps_reach_the_number(number, step):
    assert round_step(number, steps=[1, 2, 5], unit=1) == step
