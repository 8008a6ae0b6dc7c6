"""Tools, prompts, resources and mentions that an MCP server offers, in the forms of Placet."""
