"""Prices of answers by litellm's table. Pure but for the table and, for models with cheap hours, the clock.

tests/model/test_prices.py holds the costs equal to litellm's costs.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

from placet.auth.subscriptions.names import is_covered
from placet.model import frames
from placet.model.host import model_table

_CACHED_SHARE = 0.5
"""Price of a cached token at Fireworks in input tokens, where the row does not name the price."""

_ABOVE = re.compile(r"(?:(?:in|out)put_cost_per_token|cache_(?:read|creation)_input_token_cost)_above_(\d+)k_tokens")


@dataclass(frozen=True, slots=True)
class _Rates:
    """Prices of one token in US dollars; None where the row does not name the price."""

    input: float
    output: float
    cache_read: float | None
    cache_write: float | None
    reasoning: float | None


def of(ask: frames.Ask) -> Callable[[frames.Usage], float]:
    """Return the function which gives the cost of an answer: by the prices of the settings, or else by the table."""
    facts = ask.provider.facts_of(ask.model) if ask.provider is not None else None
    if facts is None or (facts.input_price is None and facts.output_price is None):
        return partial(cost, ask.model)
    return partial(_cost_by, facts)


def _cost_by(facts: frames.ModelFacts, usage: frames.Usage) -> float:
    """Return the cost by the prices of the settings, which are prices of a million tokens."""
    price = facts.input_price or 0.0
    read = price if facts.cache_read_price is None else facts.cache_read_price
    write = price if facts.cache_write_price is None else facts.cache_write_price
    million = usage.input * price + usage.cache_read * read + usage.cache_write * write
    return (million + usage.output * (facts.output_price or 0.0)) / 1_000_000


def cost(model: str, usage: frames.Usage, now: datetime | None = None) -> float:
    """Return the cost in US dollars at the time `now`; 0 when the price is unknown or a subscription covers it."""
    if is_covered(model):
        return 0.0
    row = _row(model)
    provider = model.partition("/")[0]
    rates = _cheap_hours(_rates(row, provider, usage), row, now or datetime.now(UTC))
    read = rates.input if rates.cache_read is None else rates.cache_read
    write = rates.input if rates.cache_write is None else rates.cache_write
    reasoning = rates.output if rates.reasoning is None else rates.reasoning
    return (
        usage.input * rates.input
        + usage.cache_read * read
        + usage.cache_write * write
        + max(0, usage.output - usage.reasoning) * rates.output
        + usage.reasoning * reasoning
    )


def _row(model: str) -> model_table.Row:
    """Return the row of the model, or of the model from which the name is derived."""
    provider, _, name = model.partition("/")
    last = name.rpartition("/")[2]
    if "ft:" in model:
        base = model[model.index("ft:") :].split(":")[:2]
        return model_table.row(":".join(base))
    if provider == "litellm_proxy":
        return model_table.row(name)
    if provider == "bedrock" and last != name:
        # The name holds a region, or the way to ask Bedrock.
        return model_table.row(model) or model_table.row(f"{provider}/{last}")
    return model_table.row(model)


def _rates(row: model_table.Row, provider: str, usage: frames.Usage) -> _Rates:
    """Return the prices for a request with so many input tokens."""
    size = usage.input + usage.cache_read + usage.cache_write
    if (tier := _tier(row, size)) is not None:
        return _rates_of_tier(row, tier)
    rates = _Rates(
        _price(row, "input_cost_per_token") or 0.0,
        _price(row, "output_cost_per_token") or _price(row, "output_cost_per_image_token") or 0.0,
        _price(row, "cache_read_input_token_cost"),
        _price(row, "cache_creation_input_token_cost"),
        _price(row, "output_cost_per_reasoning_token"),
    )
    if provider == "fireworks_ai" and rates.cache_read is None:
        rates = replace(rates, cache_read=rates.input * _CACHED_SHARE)
    for limit in _limits(row):
        if size > limit * 1000 or (provider == "xai" and size == limit * 1000):
            above = f"_above_{limit}k_tokens"
            rates = replace(
                rates,
                input=_price(row, f"input_cost_per_token{above}", rates.input),
                output=_price(row, f"output_cost_per_token{above}", rates.output),
                cache_read=_price(row, f"cache_read_input_token_cost{above}", rates.cache_read),
                cache_write=_price(row, f"cache_creation_input_token_cost{above}", rates.cache_write),
            )
    return rates


def _limits(row: model_table.Row) -> list[int]:
    """Return the sizes of a prompt, in thousands, above which the row names other prices, smallest first."""
    return sorted({int(match[1]) for key in row if (match := _ABOVE.fullmatch(key))})


def _tier(row: model_table.Row, size: int) -> Mapping[str, Any] | None:
    """Return the tier of a row with prices by the size of the prompt: a request pays one tier for all its tokens."""
    tiers = sorted((tier for tier in row.get("tiered_pricing") or () if len(tier.get("range", ())) == 2), key=_start)
    if not tiers or size <= 0:
        return None
    return next((tier for tier in tiers if tier["range"][0] < size <= tier["range"][1]), tiers[-1])


def _start(tier: Mapping[str, Any]) -> float:
    return tier["range"][0]


def _rates_of_tier(row: model_table.Row, tier: Mapping[str, Any]) -> _Rates:
    output = _price(tier, "output_cost_per_token")
    reasoning = _price(tier, "output_cost_per_reasoning_token")
    if output is None:
        output = _price(row, "output_cost_per_token") or 0.0
        reasoning = _price(row, "output_cost_per_reasoning_token") if reasoning is None else reasoning
    return _Rates(
        _price(tier, "input_cost_per_token") or 0.0,
        output,
        _price(tier, "cache_read_input_token_cost"),
        _price(tier, "cache_creation_input_token_cost"),
        reasoning,
    )


def _cheap_hours(rates: _Rates, row: model_table.Row, now: datetime) -> _Rates:
    cheap = row.get("off_peak_pricing")
    if not cheap or not _is_cheap(cheap, now):
        return rates
    return _Rates(
        _price(cheap, "input_cost_per_token", rates.input),
        _price(cheap, "output_cost_per_token", rates.output),
        _price(cheap, "cache_read_input_token_cost", rates.cache_read),
        _price(cheap, "cache_creation_input_token_cost", rates.cache_write),
        _price(cheap, "output_cost_per_reasoning_token", rates.reasoning),
    )


def _is_cheap(cheap: Mapping[str, Any], now: datetime) -> bool:
    day = _in_zone(now, cheap.get("weekday_timezone")).isoweekday()
    windows = [{"hours_utc": cheap.get("hours_utc", ())}, *cheap.get("windows", ())]
    time = now.astimezone(UTC).time()
    return any(
        _is_within(hours, f"{time:%H:%M}")
        for window in windows
        if day in window.get("weekdays", (day,))
        for hours in _as_list(window["hours_utc"])
    )


def _in_zone(now: datetime, zone: str | None) -> datetime:
    if zone is None:
        return now.astimezone(UTC)
    # Few rows name a zone, and the module takes 2 ms to load.
    from zoneinfo import ZoneInfo

    return now.astimezone(ZoneInfo(zone))


def _is_within(hours: str, time: str) -> bool:
    """Return whether the time is in hours such as `16:30-00:30`, which may pass midnight."""
    start, _, end = hours.partition("-")
    return start <= time < end if start < end else time >= start or time < end


def _as_list(value: str | Sequence[str]) -> Sequence[str]:
    return [value] if isinstance(value, str) else value


def _price(row: Mapping[str, Any], key: str, default: Any = None) -> Any:
    """Return the number; some entries of the table have numbers as text."""
    value = row.get(key)
    try:
        return default if value is None else float(value)
    except ValueError:
        return default
