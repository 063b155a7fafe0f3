"""The `skill` tool in the shapes of the SDKs: its definition, its calls, its results."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from ._types import Sdk

NAME = "skill"
"""The name of the tool, as the block tells it to the model."""
_DESCRIPTION = (
    "Loads a skill of the catalog: the procedure for a task. Call it with the skill's name before you begin the task, "
    "and follow what it says; never guess the content."
)
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "description": "The name of the skill, as the catalog writes it."},
        "file": {"type": "string", "description": "The path of a file of the skill, instead of its procedure."},
    },
    "required": ["name"],
}


def definition(sdk: Sdk) -> dict[str, Any]:
    """The `skill` tool as this SDK takes it; for `openai` in the form of Chat Completions.

    Names are a plain string, so that it stays the same in every turn.
    """
    if sdk == "anthropic":
        return {"name": NAME, "description": _DESCRIPTION, "input_schema": _SCHEMA}
    if sdk == "openai":
        return {"type": "function", "function": {"name": NAME, "description": _DESCRIPTION, "parameters": _SCHEMA}}
    return {"name": NAME, "description": _DESCRIPTION, "inputSchema": _SCHEMA, "annotations": {"readOnlyHint": True}}


class Call(NamedTuple):
    """A call of a tool, whosever shape it came in."""

    sdk: Sdk
    id: str
    name: str
    arguments: Any

    @classmethod
    def of(cls, call: Any) -> "Call":
        """Reads a call: Anthropic has `input`, OpenAI has `function`, MCP has `arguments`."""
        named, sent, function = str(_get(call, "id") or ""), _get(call, "input"), _get(call, "function")
        if function is not None:
            return cls("openai", named, str(_get(function, "name")), _parse(_get(function, "arguments")))
        if sent is not None:
            return cls("anthropic", named, str(_get(call, "name")), sent)
        return cls("mcp", named, str(_get(call, "name")), _get(call, "arguments"))

    def argument(self, name: str) -> str | None:
        """An argument that is a text; None otherwise."""
        found = self.arguments.get(name) if isinstance(self.arguments, Mapping) else None
        return found if isinstance(found, str) else None

    def result(self, text: str, is_error: bool = False) -> dict[str, Any]:
        """The result, in the shape that the call came in. OpenAI's has no mark for errors; the text says that it is one."""
        if self.sdk == "openai":
            return {"role": "tool", "tool_call_id": self.id, "content": f"Error: {text}" if is_error else text}
        if self.sdk == "mcp":
            return {"content": [{"type": "text", "text": text}], "isError": is_error}
        result = {"type": "tool_result", "tool_use_id": self.id, "content": text}
        return {**result, "is_error": True} if is_error else result


def _get(value: Any, name: str) -> Any:
    """A member of a mapping, or of an object of an SDK."""
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def _parse(arguments: Any) -> Any:
    try:
        return json.loads(arguments)
    except (TypeError, ValueError):
        return None
