"""Names of OpenTelemetry's semantic conventions for generative AI, in a single version.

1.41.0 is the last release of https://github.com/open-telemetry/semantic-conventions with these conventions; see
docs/gen-ai there. Names that begin with `placet.` are Placet's own.
"""

from collections.abc import Mapping

VERSION = "1.41.0"
SCHEMA_URL = f"https://opentelemetry.io/schemas/{VERSION}"

OPERATION = "gen_ai.operation.name"
PROVIDER = "gen_ai.provider.name"
CONVERSATION = "gen_ai.conversation.id"
AGENT = "gen_ai.agent.name"
REQUEST_MODEL = "gen_ai.request.model"
FINISH_REASONS = "gen_ai.response.finish_reasons"
FIRST_CHUNK_SECONDS = "gen_ai.response.time_to_first_chunk"
INPUT_TOKENS = "gen_ai.usage.input_tokens"
OUTPUT_TOKENS = "gen_ai.usage.output_tokens"
CACHE_READ_TOKENS = "gen_ai.usage.cache_read.input_tokens"
CACHE_WRITE_TOKENS = "gen_ai.usage.cache_creation.input_tokens"
REASONING_TOKENS = "gen_ai.usage.reasoning.output_tokens"
KIND_OF_TOKENS = "gen_ai.token.type"
INPUT_MESSAGES = "gen_ai.input.messages"
OUTPUT_MESSAGES = "gen_ai.output.messages"
TOOL = "gen_ai.tool.name"
TOOL_TYPE = "gen_ai.tool.type"
TOOL_CALL = "gen_ai.tool.call.id"
TOOL_ARGUMENTS = "gen_ai.tool.call.arguments"
TOOL_RESULT = "gen_ai.tool.call.result"
ERROR_TYPE = "error.type"

COST = "placet.cost"
"""Cost in US dollars."""
STOP_REASON = "placet.stop_reason"
PERMISSION = "placet.permission"
OUTCOME = "placet.outcome"

USED_TOKENS = "gen_ai.client.token.usage"
OPERATION_DURATION = "gen_ai.client.operation.duration"
COST_TOTAL = "placet.cost.total"
TURN_DURATION = "placet.turn.duration"
TOOL_DURATION = "placet.tool.duration"
PERMISSION_DURATION = "placet.permission.duration"

TOKEN_BUCKETS = tuple(4**power for power in range(14))
SECONDS_BUCKETS = tuple(0.01 * 2**power for power in range(14))
"""Boundaries of the conventions for tokens and for seconds."""

_PROVIDERS: Mapping[str, str] = {
    "azure": "azure.ai.openai",
    "azure_ai": "azure.ai.inference",
    "bedrock": "aws.bedrock",
    "gemini": "gcp.gemini",
    "mistral": "mistral_ai",
    "vertex_ai": "gcp.vertex_ai",
    "watsonx": "ibm.watsonx.ai",
    "xai": "x_ai",
}


def model_attributes(model: str) -> Mapping[str, str]:
    """Return provider and model of Placet's name `provider/model`, by the names of the conventions."""
    provider, _, name = model.partition("/")
    # The file of a scripted model is a path of the user's machine.
    return {PROVIDER: _PROVIDERS.get(provider, provider), REQUEST_MODEL: provider if provider == "scripted" else name}
