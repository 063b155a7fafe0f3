"""Putting the data of a run into a template, in one pass."""

import re
from collections.abc import Mapping
from typing import NamedTuple

_KEY = "[A-Za-z_][A-Za-z0-9_.-]{0,63}"
_PLACEHOLDER = re.compile(r"\{\{(" + _KEY + r")\}\}")
_SPACE = " \t\r\n"
_MAX_PROMPT = 4 << 20
"""The most bytes of a prompt."""


class PromptError(Exception):
    """Why there is no prompt, in one sentence."""


class Rendered(NamedTuple):
    """A prompt, the placeholders that stayed, and the keys that were appended."""

    text: str
    unknown: list[str]
    appended: list[str]


def is_blank(text: str) -> bool:
    """Whether a text has nothing but spaces, tabs and line breaks."""
    return not text.strip(_SPACE)


def render(template: str, context: Mapping[str, str | None], inline: str | None) -> Rendered:
    """Replaces `{{key}}` by the values of the context, and appends what no placeholder used."""
    values: dict[str, str] = {}
    for key, value in context.items():
        if re.fullmatch(_KEY, key) is None or not isinstance(value, str | None):
            raise PromptError(f"the key `{key}` of the context cannot be named by a placeholder, or its value is no text")
        values[key] = value or ""
    used: set[str] = set()
    unknown: dict[str, None] = {}

    def replaced(found: re.Match[str]) -> str:
        key = found[1]
        value = values.get(key)
        if value is None or is_blank(value):
            value = inline if key == "subtask" and inline is not None else None if value is None else ""
        if value is None:
            unknown[key] = None
            return found[0]
        used.add(key)
        return value

    text = _PLACEHOLDER.sub(replaced, template)
    left = [key for key, value in values.items() if key not in used and not is_blank(value)]
    if left:
        before = text.rstrip(_SPACE)
        parts = [f"\n\n### {key}\n\n{values[key].rstrip(_SPACE)}" for key in left]
        text = f"{before}\n\n## Context" if before else "## Context"
        text += "".join(parts) + "\n"
    if len(text.encode()) > _MAX_PROMPT:
        raise PromptError(f"the prompt would have more than {_MAX_PROMPT} bytes; shorten the template or the context")
    return Rendered(text, list(unknown), left)
