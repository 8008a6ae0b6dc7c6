from corpus_support import corpus
from placet.core.errors import ModelError
from placet.model.base import ToolSpec
from placet.model.client.refused_tools import name_refused_tool

TOOLS = (ToolSpec("read", "", {}), ToolSpec("srv_bad", "", {}, "srv"))


@corpus(
    ("message", "added"),
    [
        ("tools.1.custom.input_schema: not of draft 2020-12", " (Tool 1 is srv_bad of the MCP server srv.)"),
        ("Invalid 'tools[1].function.parameters'", " (Tool 1 is srv_bad of the MCP server srv.)"),
        ("tools[0].function_declarations[1].parameters: bad", " (Tool 1 is srv_bad of the MCP server srv.)"),
        ("tools.0.name: too long", " (Tool 0 is read.)"),
        ("tools.7.custom: bad", ""),
        ("no place", ""),
    ],
)
def test_a_refused_tool_is_named_with_its_server(message: str, added: str) -> None:
    error = ModelError("bad_request", message, status=400)
    name_refused_tool(error, TOOLS)
    assert (error.message, str(error)) == (message + added, message + added)


def test_the_text_of_another_fault_stays() -> None:
    error = ModelError("overloaded", "tools.1 are busy")
    name_refused_tool(error, TOOLS)
    assert error.message == "tools.1 are busy"
