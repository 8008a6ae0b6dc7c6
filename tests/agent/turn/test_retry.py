from datetime import UTC, datetime
from typing import get_args

from hypothesis import given
from hypothesis import strategies as st

from corpus_support import corpus
from placet.agent.turn.retry import LONGEST_OWN_WAIT_SECONDS, MOST_ATTEMPTS, Again, GiveUp, after_failures
from placet.core.errors import ModelError, ModelErrorCode

NOON = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
PASSING = {"rate_limit", "overloaded", "server_error", "timeout", "connection"}
ONCE = {"host_died", "empty_answer"}


def follows(*failures: ModelError, longest: float = 60.0, chance: float = 0.0) -> Again | GiveUp:
    return after_failures(failures, longest_wait_seconds=longest, chance=lambda: chance, clock=lambda: NOON)


@corpus("code", get_args(ModelErrorCode))
def test_what_passes_by_itself_is_tried_four_times_what_hardly_does_once_more_and_the_rest_not(code):
    attempts = next(
        number for number in range(1, 10) if isinstance(follows(*[ModelError(code, "It failed.")] * number), GiveUp)
    )

    assert attempts == (MOST_ATTEMPTS if code in PASSING else 2 if code in ONCE else 1)


def test_an_answer_that_was_begun_is_never_asked_for_again():
    error = ModelError("overloaded", "It failed.", before_first_delta=False)

    assert follows(error) == GiveUp(error)


def test_waits_double_and_chance_takes_up_to_a_half():
    error = ModelError("overloaded", "Busy.")

    assert [follows(*[error] * number) for number in (1, 2, 3)] == [Again(2.0), Again(4.0), Again(8.0)]
    assert follows(error, chance=1.0) == Again(1.0)


def test_what_the_provider_asks_for_is_what_is_waited():
    assert follows(ModelError("rate_limit", "Slow down.", retry_after=17.5), chance=1.0) == Again(17.5)


def test_a_provider_that_wants_too_long_ends_it_with_the_time_to_come_back():
    for seconds, words in (
        (100, "100 seconds: prompt again after 12:01"),
        (86400, "24 hours: prompt again after 2026-11-22 12:00"),
    ):
        ended = follows(ModelError("rate_limit", "Slow down.", hint="Wait.", retry_after=seconds))

        assert isinstance(ended, GiveUp)
        assert (ended.error.code, ended.error.message) == ("rate_limit", "Slow down.")
        assert words in ended.error.hint
        assert "maxRetryWaitSeconds" in ended.error.hint


def test_the_last_failure_says_how_often_it_was_tried():
    ended = follows(*[ModelError("server_error", "Broken.", hint="Later.", status=500)] * MOST_ATTEMPTS)

    assert isinstance(ended, GiveUp)
    assert (ended.error.message, ended.error.hint) == ("Broken. (Placet tried 4 times.)", "Later.")
    assert ended.error.status == 500


def test_a_longest_wait_of_zero_means_no_retry():
    assert isinstance(follows(ModelError("overloaded", "Busy."), longest=0), GiveUp)


errors = st.builds(
    ModelError,
    st.sampled_from(get_args(ModelErrorCode)),
    st.just("It failed."),
    retry_after=st.none() | st.floats(min_value=-5, max_value=1e6),
    before_first_delta=st.booleans(),
)


@given(st.lists(errors, min_size=1, max_size=8), st.floats(0, 1), st.floats(0, 1000))
def test_no_wait_is_longer_than_allowed_and_no_call_is_made_a_fifth_time(failures, chance, longest):
    match follows(*failures, longest=longest, chance=chance):
        case Again(wait_seconds=seconds):
            assert len(failures) < MOST_ATTEMPTS
            assert 0 <= seconds <= longest
            assert failures[-1].retry_after is not None or seconds <= LONGEST_OWN_WAIT_SECONDS
        case GiveUp(error=error):
            assert error.code == failures[-1].code
