"""Environment variables that hold the keys of the known providers. Pure."""

VARIABLES: dict[str, tuple[str, ...]] = {
    "azure": ("AZURE_API_KEY",),
    "bedrock": ("AWS_ACCESS_KEY_ID", "AWS_BEARER_TOKEN_BEDROCK", "AWS_PROFILE"),
    "cohere": ("COHERE_API_KEY", "CO_API_KEY"),
    "databricks": ("DATABRICKS_API_KEY", "DATABRICKS_TOKEN"),
    "friendliai": ("FRIENDLI_TOKEN",),
    "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "gigachat": ("GIGACHAT_CREDENTIALS", "GIGACHAT_API_KEY"),
    "huggingface": ("HF_TOKEN", "HUGGINGFACE_API_KEY"),
    "lambda_ai": ("LAMBDA_API_KEY",),
    "meta_llama": ("LLAMA_API_KEY",),
    "perplexity": ("PERPLEXITYAI_API_KEY", "PERPLEXITY_API_KEY"),
    "sagemaker": ("AWS_ACCESS_KEY_ID", "AWS_PROFILE"),
    "snowflake": ("SNOWFLAKE_JWT",),
    "together_ai": ("TOGETHERAI_API_KEY", "TOGETHER_AI_API_KEY", "TOGETHER_API_KEY"),
    "vertex_ai": ("GOOGLE_APPLICATION_CREDENTIALS", "VERTEXAI_PROJECT"),
}
"""Variables of providers for which litellm reads another variable than PROVIDER_API_KEY; any of them means an account.
"""

_PARTS_OF_LOGINS = ("AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")
_NO_SECRETS = frozenset(("AWS_PROFILE", "VERTEXAI_PROJECT", "GOOGLE_APPLICATION_CREDENTIALS"))
"""Variables with a name or a path alone."""


def variables_of(provider: str) -> tuple[str, ...]:
    """Return the environment variables which may hold the provider's key, the usual variable first."""
    return VARIABLES.get(provider, (f"{provider.upper().replace('-', '_').replace('.', '_')}_API_KEY",))


def is_known_key(variable: str) -> bool:
    """Return whether the variable holds the key of a known provider, or another secret of such a login."""
    from placet.settings.provider_kinds import PROVIDERS  # Only references need the names.

    known = {name for provider in PROVIDERS for name in variables_of(provider)}
    return variable in known.union(_PARTS_OF_LOGINS) - _NO_SECRETS


NO_KEYS = "only your own settings can pass on the key of a provider of models"
"""Reason for which a reference in a project's file to such a key is refused."""
