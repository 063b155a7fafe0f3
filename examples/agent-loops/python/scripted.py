"""A model that needs no network: `messages.create` as Anthropic's SDK has it, and a fixed idea of what to do next.

Like a model it remembers nothing: what it does depends on the messages that it is sent.
"""

import re
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Text:
    """What the model says."""

    text: str
    type: str = "text"


@dataclass
class ToolUse:
    """A tool that the model calls."""

    id: str
    name: str
    input: dict[str, Any]
    type: str = "tool_use"


@dataclass
class Message:
    """An answer of the model."""

    content: list[Text | ToolUse]
    stop_reason: str


@dataclass
class Messages:
    """Where the SDK has `create`."""

    def create(self, *, system: str, messages: list[dict[str, Any]], **_: Any) -> Message:
        """Loads the skill of the task, guesses at another one, looks at the first again, and is done."""
        offered = re.findall(r"^- (\S+) \[", system, re.MULTILINE)
        task = str(messages[0]["content"])
        wanted = next((name for name in offered if name in task), offered[0] if offered else "anything")
        step = sum(message["role"] == "assistant" for message in messages)
        calls = [wanted, "office-gossip", wanted]
        if step < len(calls):
            return Message([ToolUse(f"toolu_{step + 1}", "skill", {"name": calls[step]})], "tool_use")
        return Message([Text(f"Done as the skill {wanted} says.")], "end_turn")


@dataclass
class ScriptedModel:
    """The client of the SDK, as far as a loop uses it."""

    messages: Messages = field(default_factory=Messages)
