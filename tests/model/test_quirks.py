"""The table of what providers want otherwise, row by row; what reaches the wire is in test_provider_wires.py."""

from corpus_support import corpus
from model_support.asking import assistant, completed, user
from model_support.chat import chat_messages
from placet.core.messages import JsonObject, ReasoningPart
from placet.model.client.conversations import ChatHistory
from placet.model.client.tool_schemas import suited_schema
from placet.model.quirks import Quirks, quirks_of

ROWS = {
    "deepseek/deepseek-chat": Quirks(reasoning="always"),
    "moonshot/moonshot-v1-8k": Quirks(reasoning="when there is", bare_references=True, one_item_schema=True),
    "zai/glm-4.5": Quirks(reasoning="when there is"),
    "zai/glm-4.6": Quirks(reasoning="when there is", temperature=1.0),
    "minimax/MiniMax-M2": Quirks(reasoning="when there is", temperature=1.0, top_p=0.95),
    "mistral/open-x": Quirks(call_id_length=9, bridge="Done."),
    "openrouter/mistralai/devstral-small": Quirks(call_id_length=9, bridge="Done."),
    "gemini/gemini-2.5-pro": Quirks(text_enums=True, strict_shapes=True, one_item_schema=True),
    "vertex_ai/claude-sonnet-4": Quirks(),
    "groq/moonshotai/kimi-k2-instruct": Quirks(bare_references=True, one_item_schema=True, temperature=0.6),
    "groq/moonshotai/kimi-k2-thinking": Quirks(bare_references=True, one_item_schema=True, temperature=1.0, top_p=0.95),
    "ollama_chat/Qwen3:8b": Quirks(temperature=0.55, top_p=1.0),
    "openai/gpt-4o": Quirks(),
    "anthropic/claude-sonnet-4-5": Quirks(),
}


@corpus("model", ROWS)
def test_each_row_holds_for_its_models(model: str) -> None:
    assert quirks_of(model) == ROWS[model]


def test_a_schema_without_quirks_is_the_very_same() -> None:
    schema = {"type": "object", "properties": {"n": {"enum": [1]}}}

    assert suited_schema(schema, Quirks()) is schema


@corpus(
    ("quirks", "schema", "suited"),
    [
        (Quirks(bare_references=True), {"$ref": "#/a", "description": "d"}, {"$ref": "#/a"}),
        (Quirks(one_item_schema=True), {"items": [{"type": "string"}, {}]}, {"items": {"type": "string"}}),
        (Quirks(one_item_schema=True), {"prefixItems": [{"type": "string"}]}, {"items": {"type": "string"}}),
        (Quirks(one_item_schema=True), {"items": []}, {"items": {}}),
        (Quirks(text_enums=True), {"type": "integer", "enum": [1, 2]}, {"type": "string", "enum": ["1", "2"]}),
        (Quirks(text_enums=True), {"enum": ["a", True]}, {"enum": ["a", "true"]}),
        (Quirks(strict_shapes=True), {"type": "array"}, {"type": "array", "items": {"type": "string"}}),
        (Quirks(strict_shapes=True), {"type": "string", "properties": {}, "required": []}, {"type": "string"}),
        (
            Quirks(strict_shapes=True),
            {"type": "object", "properties": {"a": {"type": "array"}}, "required": ["a", "b"]},
            {
                "type": "object",
                "properties": {"a": {"type": "array", "items": {"type": "string"}}},
                "required": ["a"],
            },
        ),
        (
            Quirks(bare_references=True),
            {"properties": {"$ref": {"type": "string"}}},
            {"properties": {"$ref": {"type": "string"}}},
        ),
        (
            Quirks(bare_references=True),
            {"anyOf": [{"$ref": "#/a", "title": "t"}], "$defs": {"a": {"items": {"$ref": "#/b", "x": 1}}}},
            {"anyOf": [{"$ref": "#/a"}], "$defs": {"a": {"items": {"$ref": "#/b"}}}},
        ),
    ],
)
def test_a_schema_is_as_its_provider_takes_it(quirks: Quirks, schema: JsonObject, suited: JsonObject) -> None:
    assert suited_schema(schema, quirks) == suited


def test_a_bridge_is_the_same_object_in_each_request() -> None:
    model = "mistral/x"
    messages = (user("hi"), assistant(completed("read", {}, "a", call_id="1"), model=model), user("Go on."))
    history = ChatHistory((), model=model)

    first, second = history.chat(messages), history.chat((*messages, user("More.")))

    assert [message["role"] for message in first] == ["user", "assistant", "tool", "assistant", "user"]
    assert all(one is other for one, other in zip(first, second, strict=False))
    assert first == chat_messages((), messages, model=model)


def test_an_id_of_geminis_is_sent_without_its_signature() -> None:
    call = completed("read", {}, "a", call_id="call_1__thought__Ab+/=")
    for model, fields in (("gemini/g", {"thought_signature": "Ab+/="}), ("openai/o", None)):
        _, said, result = chat_messages((), (user("hi"), assistant(call, model="gemini/g")), model=model)
        (sent,) = said["tool_calls"]

        assert (sent["id"], result["tool_call_id"]) == ("call_1", "call_1")
        assert sent.get("provider_specific_fields") == fields


def test_thinking_goes_back_in_the_field_of_those_who_want_it() -> None:
    thought = ReasoningPart(text="Hm.")
    for model, told in (("deepseek/x", "Hm."), ("zai/x", "Hm."), ("openai/x", None)):
        (_, said) = chat_messages((), (user("hi"), assistant(thought, "Yes.", model=model)), model=model)
        (_, unthought) = chat_messages((), (user("hi"), assistant("Yes.", model=model)), model=model)

        assert said.get("reasoning_content") == told
        assert unthought.get("reasoning_content") == (" " if model == "deepseek/x" else None)
