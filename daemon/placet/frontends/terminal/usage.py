"""`placet usage`: print tokens and cost, per day and model, of all sessions."""

from collections.abc import Sequence

from placet.core.errors import StoreError
from placet.core.visible_text import one_line
from placet.frontends.terminal.exit_codes import ExitCode
from placet.frontends.terminal.locations import usable_locations
from placet.frontends.terminal.output import complain, say, say_json
from placet.frontends.terminal.table import cost_cell, print_table
from placet.sessions.store.usage import Accounts, DayUsage, Spent
from placet.storage.database import Database


async def usage(*, days: int, as_json: bool) -> ExitCode:
    """Print the usage; the latest day first."""
    database = Database(usable_locations().store)
    try:
        per_day = await Accounts(database).by_day(days)
    except StoreError as error:
        complain(str(error))
        return ExitCode.FAILED
    finally:
        await database.close()
    total = sum(per_day, Spent())
    if as_json:
        plain = {"days": [day.dump() for day in per_day], "total": total.dump()}
        say_json(plain)
    elif not per_day:
        say("Nothing was spent.")
    else:
        _print(per_day, total)
    return ExitCode.DONE


def _print(per_day: Sequence[DayUsage], total: Spent) -> None:
    rows = [(day.day, one_line(day.model), f"{day.calls:,}", *_figures(day, day.model)) for day in per_day]
    rows.append(("total", "", f"{sum(day.calls for day in per_day):,}", *_figures(total)))
    print_table(("DAY", "MODEL", ">CALLS", ">INPUT", ">CACHED", ">OUTPUT", ">COST"), rows)


def _figures(spent: Spent, model: str = "") -> tuple[str, ...]:
    """Return the figures: input paid in full or to fill the cache, input from the cache, output, and the cost."""
    tokens = spent.tokens
    paid = f"{tokens.input + tokens.cache_write:,}"
    return paid, f"{tokens.cache_read:,}", f"{tokens.output:,}", cost_cell(spent, model)
