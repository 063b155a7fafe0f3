"""What the server answers, what a loop keeps, and the one exception."""

from typing import Any, Literal, NotRequired, TypedDict

Sdk = Literal["anthropic", "openai", "mcp"]
"""Whose shapes: Anthropic's Messages API, OpenAI's Chat Completions API, or the Model Context Protocol."""


class VestryError(Exception):
    """What was asked for did not happen.

    `code` is the server's problem code, stable and what to compare; `no-answer`, `not-vestry`, `turn-forgotten` and
    `no-own-scope` are the client's own. `detail` is a sentence that says what to do, and the field that it is about.
    `status` is the HTTP status, 0 when there was no answer. `rule` is the rule that refused, if one did.
    """

    def __init__(self, code: str, detail: str, status: int = 0, rule: str | None = None) -> None:
        super().__init__(f"{detail} ({code})")
        self.code, self.detail, self.status, self.rule = code, detail, status, rule


class Entry(TypedDict):
    """An offered skill."""

    name: str
    description: str
    scope: str
    revision: int
    digest: str
    shadows: NotRequired[list[str]]
    sealed: bool
    templated: bool


class File(TypedDict):
    """A bundled file; `text` or `base64` is there when it was loaded."""

    path: str
    size: int
    digest: str
    text: NotRequired[str]
    base64: NotRequired[str]


class Loaded(TypedDict):
    """A loaded skill; `body` and `block` are absent when `already_loaded`. `block` is for a user-role message."""

    name: str
    scope: str
    revision: int
    digest: str
    rendered_digest: str
    body: NotRequired[str]
    block: NotRequired[str]
    files: list[File]
    already_loaded: bool
    cut: NotRequired[bool]
    changed: NotRequired[bool]
    """There when the conversation has another text of this skill, which this replaces."""
    context_node: NotRequired["ContextNode"]
    """What a host that keeps its conversation as nodes puts beside the skill; an older server has none."""


class ContextNode(TypedDict):
    """What a host that keeps its conversation as nodes puts beside a loaded skill.

    `skill_path` is its URI, `skill_hash` the digest of the body as it is handed out; `source_node_id` is the same for the
    same skill with the same text.
    """

    skill_name: str
    skill_path: str
    skill_hash: str
    loaded_by_tool_call_id: str | None
    synthetic: bool
    source_node_type: str
    source_node_id: str


class Opening(TypedDict):
    """What a run begins with; `text` is for a user-role message, `parts` has the pins of each part."""

    turn: str
    parts: list[dict[str, Any]]
    text: str
    rendered_digest: str


class Content(TypedDict, total=False):
    """The content of a skill: `skill_md`, or `description` and `body` and what goes with them."""

    skill_md: str
    description: str
    body: str
    templated: bool
    mode: Literal["triggered", "ambient"]
    frontmatter: dict[str, Any]
    files: list[dict[str, str]]
    message: str


class Proposal(TypedDict):
    """What a proposal is after it was made."""

    id: str
    state: str
    scope: str
    name: str
    digest: str
    unchanged: bool


class Written(TypedDict):
    """What a publication came to: `revision`, or the `id` of the proposal where the tenant reviews what its agents write."""

    scope: str
    digest: str
    unchanged: bool
    revision: NotRequired[int]
    id: NotRequired[str]


class Journal(TypedDict):
    """A turn as a loop keeps it. It has no secret, and nothing of the run's data: a load needs the agent's token as well."""

    terms: dict[str, Any]
    etag: str
    offer: str
    expires_at: str
    have: dict[str, str]
    """The skills that are in the conversation, by their URIs, with the digests of their texts."""
