"""Putting the data of a run into a template, in one pass."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from ._text import PromptError, is_blank, trimmed, well_formed

_KEY = "[A-Za-z_][A-Za-z0-9_.-]{0,63}"
_PLACEHOLDER = re.compile(r"\{\{(" + _KEY + r")\}\}")
_MAX_CONTEXT = 200
"""The most keys of a context."""
_MAX_PROMPT = 4 << 20
"""The most bytes of a prompt."""


class Rendered(NamedTuple):
    """A prompt, the placeholders that stayed, and the keys that were appended."""

    text: str
    unknown: list[str]
    appended: list[str]


class _Growing:
    """A prompt that is being made: it stops where it would be too long, and not when it is there."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0

    def add(self, part: bytes) -> None:
        self._size += len(part)
        if self._size > _MAX_PROMPT:
            raise PromptError(f"the prompt would have more than {_MAX_PROMPT} bytes; shorten the template or the context")
        self._parts.append(part)

    def text(self) -> str:
        return b"".join(self._parts).decode()


def render(template: str, context: Mapping[str, str | None], inline: str | None) -> Rendered:
    """Replaces `{{key}}` by the values of the context, and appends what no placeholder used."""
    values = _values_of(context)
    stands = {key: value.encode() for key, value in values.items()}
    if inline is not None and not stands.get("subtask"):
        stands["subtask"] = inline.encode()
    used: set[str] = set()
    unknown: dict[str, None] = {}
    made = _Growing()
    at = 0
    for found in _PLACEHOLDER.finditer(template):
        made.add(template[at : found.start()].encode())
        at = found.end()
        key = found[1]
        if key in stands:
            used.add(key)
        else:
            unknown[key] = None
        made.add(stands.get(key, found[0].encode()))
    made.add(template[at:].encode())
    left = [key for key, value in values.items() if key not in used and value]
    text = made.text()
    if left:
        made = _Growing()
        before = trimmed(text)
        made.add((f"{before}\n\n## Context" if before else "## Context").encode())
        for key in left:
            made.add(f"\n\n### {key}\n\n{trimmed(values[key])}".encode())
        made.add(b"\n")
        text = made.text()
    return Rendered(text, list(unknown), left)


def _values_of(context: Mapping[str, str | None]) -> dict[str, str]:
    """The values by key; those that are blank are empty."""
    if len(context) > _MAX_CONTEXT:
        raise PromptError(f"the context has more than {_MAX_CONTEXT} keys; send fewer")
    values: dict[str, str] = {}
    for key, value in context.items():
        if not isinstance(key, str) or re.fullmatch(_KEY, key) is None or not isinstance(value, str | None):
            raise PromptError(f"the key `{key}` of the context cannot be named by a placeholder, or its value is no text")
        values[key] = "" if value is None or is_blank(value) else well_formed(value, f"the value of `{key}` in the context")
    return values
