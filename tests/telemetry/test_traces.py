"""Traces and metrics of real turns, as a collector on this machine receives them."""

import json
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

import pytest

from fork_support.completed import run_forked
from mcp_support import odd
from run_support import EDIT, Place, Terminal
from telemetry_support import Collector, Span, collector

KEY = "sk-abcdefghijklmnopqrstuvwxyz012345"
INTERNAL, CLIENT = 1, 3


@pytest.fixture
def receiver() -> Generator[Collector]:
    with collector() as receiver:
        yield receiver


@pytest.fixture
def place(tmp_path: Path, receiver: Collector) -> Place:
    place = Place(tmp_path)
    place.environment["OTEL_EXPORTER_OTLP_ENDPOINT"] = receiver.address
    place.script(
        [
            {"text": "I look."},
            {"usage": {"input": 10, "output": 5, "cacheRead": 90}, "cost": 0.25},
            {"call": "read", "arguments": {"filePath": "a.txt"}},
        ],
        [{"call": "edit", "arguments": EDIT}, {"usage": {"input": 20, "output": 7}, "cost": 0.5}],
        [{"text": f"All done, by {KEY}."}],
    )
    return place


def is_within(inner: Span, outer: Span) -> bool:
    return outer.start <= inner.start <= inner.end <= outer.end


def test_the_spans_of_a_turn_are_nested_as_the_conventions_say(place: Place, receiver: Collector) -> None:
    assert place.run("run", "--allow", "edit", "louder").returncode == 0
    turn = receiver.span("invoke_agent build")
    assert turn.kind == INTERNAL
    assert turn.parent_id == ""
    assert turn.attributes["gen_ai.operation.name"] == "invoke_agent"
    assert turn.attributes["gen_ai.agent.name"] == "build"
    assert turn.attributes["gen_ai.conversation.id"].startswith("ses_")
    assert turn.attributes["placet.stop_reason"] == "end_turn"
    assert turn.schema_url == "https://opentelemetry.io/schemas/1.41.0"
    chats = receiver.spans_named("chat ")
    calls = receiver.spans_named("execute_tool ")
    assert [call.name for call in calls] == ["execute_tool read", "execute_tool edit"]
    assert [chat.kind for chat in chats] == [CLIENT] * 3
    assert [call.kind for call in calls] == [INTERNAL] * 2
    for span in (*chats, *calls):
        assert span.parent_id == turn.id
        assert span.trace_id == turn.trace_id
        assert is_within(span, turn)
    assert chats[0].end <= calls[0].start <= calls[0].end <= chats[1].start
    assert calls[0].attributes["gen_ai.tool.call.id"]
    assert chats[0].attributes["gen_ai.response.finish_reasons"] == ["tool_calls"]
    assert chats[0].attributes["gen_ai.usage.input_tokens"] == 100
    assert chats[0].attributes["gen_ai.usage.cache_read.input_tokens"] == 90
    assert all(chat.attributes["gen_ai.response.time_to_first_chunk"] >= 0 for chat in chats)
    assert "gen_ai.usage.cache_creation.input_tokens" not in chats[0].attributes
    assert turn.attributes["gen_ai.usage.output_tokens"] == 12
    assert turn.attributes["placet.cost"] == 0.75


def test_the_metrics_count_tokens_cost_and_durations(place: Place, receiver: Collector) -> None:
    place.run("run", "--allow", "edit", "louder")
    tokens = {
        metric.attributes["gen_ai.token.type"]: metric.sum
        for metric in receiver.metrics_named("gen_ai.client.token.usage")
    }
    assert tokens == {"input": 120, "output": 12}
    (cost,) = receiver.metrics_named("placet.cost.total")
    assert (cost.sum, cost.unit) == (0.75, "USD")
    (duration,) = receiver.metrics_named("gen_ai.client.operation.duration")
    assert (duration.count, duration.unit) == (3, "s")
    assert duration.attributes["gen_ai.operation.name"] == "chat"
    tools = {metric.attributes["gen_ai.tool.name"] for metric in receiver.metrics_named("placet.tool.duration")}
    assert tools == {"read", "edit"}


def test_the_metrics_have_the_temporality_that_the_user_prefers(place: Place, receiver: Collector) -> None:
    place.environment["OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE"] = "delta"
    place.run("run", "--allow", "edit", "louder")
    assert receiver.metrics
    assert all(metric.is_delta for metric in receiver.metrics)


def test_a_sampler_that_takes_no_trace_stops_the_spans_and_not_the_metrics(place: Place, receiver: Collector) -> None:
    place.environment["OTEL_TRACES_SAMPLER"] = "always_off"
    assert place.run("run", "--allow", "edit", "louder").returncode == 0
    assert receiver.spans == []
    assert receiver.metrics_named("placet.tool.duration")


def test_the_limit_of_opentelemetry_for_attributes_holds(place: Place, receiver: Collector) -> None:
    place.environment["OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT"] = "4"
    assert place.run("run", "--allow", "edit", "louder").returncode == 0
    assert receiver.span("invoke_agent build").attributes["gen_ai.agent.name"] == "buil"


def test_the_wait_for_a_permission_is_a_span_below_its_call(place: Place, receiver: Collector) -> None:
    terminal = Terminal(place, "run", "louder")
    terminal.wait_for("[y/n")
    terminal.press("y\n")
    assert terminal.end() == 0
    wait = receiver.span("placet.permission")
    assert receiver.path(wait) == ["invoke_agent build", "execute_tool edit", "placet.permission"]
    assert wait.attributes == {"placet.permission": "edit", "placet.outcome": "once"}
    assert is_within(wait, receiver.span("execute_tool edit"))
    (duration,) = receiver.metrics_named("placet.permission.duration")
    assert duration.count == 1


def test_a_call_without_a_permission_is_a_failed_span(place: Place, receiver: Collector) -> None:
    assert place.run("run", "louder").returncode == 3
    call = receiver.span("execute_tool edit")
    assert call.is_failed
    assert call.attributes["error.type"] in ("tool_error", "interrupted")


def test_contents_and_keys_are_not_sent(place: Place, receiver: Collector) -> None:
    place.environment["OTEL_EXPORTER_OTLP_HEADERS"] = "authorization=Bearer%20hidden-word"
    place.run("run", "--allow", "edit", "louder secret-prompt")
    sent = b"".join(receiver.bodies)
    for word in (b"secret-prompt", b"All done", b"a.txt", KEY.encode(), b"hidden-word", b"script.json"):
        assert word not in sent
    assert {headers["authorization"] for headers in receiver.headers} == {"Bearer hidden-word"}


def test_contents_are_sent_when_asked_for_but_no_keys(place: Place, receiver: Collector) -> None:
    place.environment["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"] = "true"
    place.run("run", "--allow", "edit", "louder")
    turn = receiver.span("invoke_agent build")
    assert json.loads(turn.attributes["gen_ai.input.messages"]) == [
        {"role": "user", "parts": [{"type": "text", "content": "louder"}]}
    ]
    (answer,) = json.loads(turn.attributes["gen_ai.output.messages"])
    assert answer["parts"] == [{"type": "text", "content": "All done, by [secret]."}]
    edit = receiver.span("execute_tool edit")
    assert json.loads(edit.attributes["gen_ai.tool.call.arguments"]) == EDIT
    assert KEY.encode() not in b"".join(receiver.bodies)


def test_the_headers_of_the_collector_are_in_no_environment_of_a_command(place: Place) -> None:
    place.environment["OTEL_EXPORTER_OTLP_HEADERS"] = "authorization=hidden-word"
    place.script([{"call": "bash", "arguments": {"command": "env > seen.txt", "description": "x"}}], [{"text": "ok"}])
    assert place.run("run", "--allow", "bash", "--allow", "edit", "look").returncode == 0
    seen = (place.project / "seen.txt").read_text()
    assert "PATH=" in seen
    assert "hidden-word" not in seen


def test_a_subagent_is_below_the_call_that_started_it(place: Place, receiver: Collector) -> None:
    task = {"description": "look", "prompt": "Look.", "subagent_type": "general"}
    place.script([{"call": "task", "arguments": task}], [{"text": "Seen."}], [{"text": "Done."}])
    assert place.run("run", "--allow", "task", "delegate").returncode == 0
    (chat,) = [span for span in receiver.spans_named("chat ") if "invoke_agent general" in receiver.path(span)]
    assert receiver.path(chat)[:3] == ["invoke_agent build", "execute_tool task", "invoke_agent general"]


def test_a_call_of_an_mcp_server_carries_the_trace(place: Place, receiver: Collector) -> None:
    config = place.directory / "CONFIG" / "placet"
    config.mkdir(parents=True)
    (config / "placet.json").write_text(json.dumps({"mcp": {"waitSeconds": 60, "odd": odd("meta")}}))
    place.environment["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"] = "true"
    place.script([{"call": "odd_echo", "arguments": {}}], [{"text": "ok"}])
    assert place.run("run", "--allow", "odd_echo", "--allow", "mcp", "go").returncode == 0
    call = receiver.span("execute_tool odd_echo")
    traceparent = json.loads(call.attributes["gen_ai.tool.call.result"])["traceparent"]
    _, trace_id, span_id, _ = traceparent.split("-")
    assert trace_id == call.trace_id
    sent = next(span for span in receiver.spans if span.id == span_id)
    assert receiver.path(sent)[:2] == ["invoke_agent build", "execute_tool odd_echo"]


def test_a_request_to_the_model_host_is_a_span_below_the_answer(place: Place, receiver: Collector) -> None:
    place.environment |= {"PLACET_MODEL": "openai/any", "OPENAI_API_KEY": KEY, "PLACET_API_BASE": "http://127.0.0.1:9"}
    config = place.directory / "CONFIG" / "placet"
    config.mkdir(parents=True)
    (config / "placet.json").write_text(json.dumps({"modelOptions": {"maxRetryWaitSeconds": 0}}))
    assert place.run("run", "go").returncode == 1
    requests = receiver.spans_named("placet.model_host.request")
    paths = [receiver.path(request) for request in requests if request.is_failed]
    assert ["invoke_agent build", "chat any", "placet.model_host.request"] in paths
    assert receiver.span("chat any").is_failed
    assert KEY.encode() not in b"".join(receiver.bodies)


def test_the_start_of_a_language_server_is_a_span_below_the_call(place: Place, receiver: Collector) -> None:
    (place.project / "m.py").write_text("value = 1\n")
    arguments = {"operation": "hover", "filePath": "m.py", "line": 1, "character": 1}
    place.script([{"call": "lsp", "arguments": arguments}], [{"text": "ok"}])
    config = place.directory / "CONFIG" / "placet"
    config.mkdir(parents=True)
    (config / "placet.json").write_text(json.dumps({"tools": {"lsp": True}, "languages": {"own": True}}))
    assert place.run("run", "--allow", "lsp", "symbols").returncode == 0
    starts = receiver.spans_named("placet.language_server.start")
    assert starts
    assert receiver.path(starts[0])[:2] == ["invoke_agent build", "execute_tool lsp"]


def test_a_project_switches_no_telemetry_on(place: Place, receiver: Collector) -> None:
    del place.environment["OTEL_EXPORTER_OTLP_ENDPOINT"]
    telemetry = {"telemetry": {"endpoint": receiver.address, "content": True}}
    (place.project / "placet.json").write_text(json.dumps(telemetry))
    trusted = run_forked("trust", "--yes", str(place.project), environment=place.environment)
    assert trusted.returncode == 0, trusted.stderr
    assert place.run("run", "--allow", "edit", "louder").returncode == 0
    assert receiver.bodies == []


def test_the_users_own_settings_switch_telemetry_on(place: Place, receiver: Collector) -> None:
    del place.environment["OTEL_EXPORTER_OTLP_ENDPOINT"]
    config = place.directory / "CONFIG" / "placet"
    config.mkdir(parents=True)
    (config / "placet.json").write_text(json.dumps({"telemetry": {"endpoint": receiver.address}}))
    assert place.run("run", "--allow", "edit", "louder").returncode == 0
    assert receiver.span("invoke_agent build")


def test_a_collector_that_is_gone_harms_no_turn(place: Place) -> None:
    place.environment["OTEL_EXPORTER_OTLP_ENDPOINT"] = "http://127.0.0.1:9"
    result = place.run("run", "--allow", "edit", "louder")
    assert result.returncode == 0
    assert "Traceback" not in result.stderr
    assert place.file.read_text() == "one\nnew\nthree\n"


def test_nothing_of_opentelemetry_is_imported_while_it_is_off(place: Place) -> None:
    del place.environment["OTEL_EXPORTER_OTLP_ENDPOINT"]
    command = [sys.executable, "-X", "importtime", "-m", "placet", "run", "--allow", "edit", "louder"]
    result = subprocess.run(
        command, cwd=place.project, env=place.environment, capture_output=True, text=True, check=True
    )
    assert "placet.sessions.turns.recorder" in result.stderr
    assert "opentelemetry" not in result.stderr
    assert "placet.telemetry" not in result.stderr
