"""Prompts for roles of workflows, as `vestry prompt resolve` makes them.

The first that has one: the launch's input, the registry and the user's own library, a file of the repository, the default that
comes with Vestry, the workflow's own. The result replaces the worker's user prompt, never its guardrails or output schema.
"""

import hashlib
import os
import re
import unicodedata
from collections.abc import Mapping
from typing import Any, NamedTuple, TypedDict

from .._clients import AsyncClient, Client
from .._requests import given
from ._files import read_inside
from ._library import LibraryFile, files_of
from ._render import render
from ._text import PromptError, is_blank, trimmed, well_formed

__all__ = ["Launch", "Prompt", "PromptError", "resolve_prompt", "resolve_prompt_async"]

_SWITCHES = ("VESTRY_REPO_TEMPLATES", "CODING_AGENT_REPO_TEMPLATES")


class Launch(NamedTuple):
    """What a worker asks for."""

    workflow: str
    role: str
    """The role: review, plan, code, design, fix, or another."""
    primary_role: str | None = None
    """The workflow's primary role, which templates without `fields` are for; the role itself when left out."""
    repository: str | None = None
    """The repository, as a URL, in the short form of SSH or as host/owner/name."""
    key: str | None = None
    """The key of `.conductor/<key>.md` and of the default that comes with Vestry; the role when left out."""
    inputs: Mapping[str, Any] = {}
    """The inputs of the launch, of which `<role>PromptTemplate` and `<role>PromptTemplateSource` are read."""
    context: Mapping[str, str | None] = {}
    """The data of the run, in its order."""
    inline_prompt: str | None = None
    """The prompt that the workflow has itself."""
    worktree: str = "."
    """The worktree."""
    library: str | None = None
    """The directory of the user's own library; none when left out."""
    turn: str | None = None
    """The turn or launch that it is for, for reports on recalls."""
    environment: Mapping[str, str] | None = None
    """The environment, which may switch templates of the repository off; that of the process when left out."""


class Prompt(TypedDict):
    """A prompt, and what is recorded with the launch, by the names of a launch's inputs."""

    workflow: str
    role: str
    replaces: str
    requestedSource: str | None
    resolvedSource: str
    templateKey: str | None
    templateSha256: str
    renderedSha256: str
    template: str
    prompt: str
    unknownPlaceholders: list[str]
    appendedContext: list[str]
    inputs: dict[str, str]
    """The inputs to keep with the launch, so that it gets the same template when it is run again."""


class _Found(NamedTuple):
    source: str
    template: str
    kept: str | None = None
    """The label that it is kept with."""
    is_verbatim: bool = False
    """Whether it is the workflow's own prompt, which stays as it is."""


def resolve_prompt(client: Client, launch: Launch) -> Prompt:
    """Resolves and renders the prompt of a role."""
    asked = _Asked(launch)
    found = asked.explicit()
    if found is None:
        found = asked.chosen(client.prompt_template(asked.request()))
    return asked.prompt(found)


async def resolve_prompt_async(client: AsyncClient, launch: Launch) -> Prompt:
    """Resolves and renders the prompt of a role."""
    asked = _Asked(launch)
    found = asked.explicit()
    if found is None:
        found = asked.chosen(await client.prompt_template(asked.request()))
    return asked.prompt(found)


class _Asked:
    """A launch, read."""

    def __init__(self, launch: Launch) -> None:
        self.launch = launch
        self.role = launch.role.removesuffix("PromptTemplate")
        if re.fullmatch("[A-Za-z][A-Za-z0-9_-]{0,63}", self.role) is None:
            raise PromptError("a role is 1 to 64 of A-Z a-z 0-9 _ - and begins with a letter, as `review`")
        if "resolvedSource" in launch.inputs:
            raise PromptError("this is the record of a prompt, and not the inputs of a launch; give its `inputs`")
        self.input = self._text(f"{self.role}PromptTemplate")
        source = self._text(f"{self.role}PromptTemplateSource")
        self.requested = source if source is not None and source.strip() else None
        if self.requested is not None and (len(self.requested) > 512 or _has_control(self.requested)):
            raise PromptError("a source is one line of 1 to 512 characters")
        self.key = _key(self.role if launch.key is None else launch.key)
        if launch.key is not None and self.key is None:
            raise PromptError("a template key is 1 to 128 of A-Z a-z 0-9 . _ - and neither `.` nor `..`")
        for name in ("workflow", "primary_role", "repository", "turn", "inline_prompt"):
            well_formed(getattr(launch, name) or "", f"`{name}` of the launch")
        own = launch.inline_prompt
        self.inline = None if own is None or is_blank(own) else own
        variables: Mapping[str, str] = os.environ if launch.environment is None else launch.environment
        values = [variables[name].strip().lower() for name in _SWITCHES if name in variables]
        self.is_off = any(value in ("", "0", "false", "no", "off") for value in values)
        self.files: list[LibraryFile] = []

    def _text(self, name: str) -> str | None:
        value = self.launch.inputs.get(name)
        if not isinstance(value, str | None):
            raise PromptError(f"the input `{name}` is no text; write it as one")
        return None if value is None else well_formed(value, f"the input `{name}`")

    def explicit(self) -> _Found | None:
        """The input of the launch."""
        text = self.input
        if text is None or is_blank(text):
            return None
        if not text.startswith("@") or text.startswith("@@"):
            return _Found("input:inline", text.removeprefix("@"), self.requested or "input:inline")
        path = trimmed(text[1:])
        # What `..` leads to depends on links, and on whether what is before it is there.
        is_odd = any(segment in ("", ".", "..") for segment in re.sub(r"\A(\./)+", "", path).split("/"))
        if is_odd or path.startswith("~") or "\\" in path or _has_control(path):
            how = "write `@relative/path.md`, without `..`, or `@@` for a text that begins with `@`"
            raise PromptError(f"the input begins with `@`, and what follows is no path in the worktree; {how}")
        if self.is_off:
            raise PromptError(f"the input names {path}, and templates of the repository are switched off (VESTRY_REPO_TEMPLATES)")
        template = read_inside(self.launch.worktree, path)
        if template is None:
            raise PromptError(f"the input names {path}, which is not in the worktree; put it there, or give the text itself")
        return _Found(f"repo:@{path}", template, self.requested or f"repo:@{path}")

    def request(self) -> dict[str, Any]:
        """What the server is asked: of a library what its files are for, and not what they say."""
        launch = self.launch
        self.files = [] if launch.library is None else files_of(launch.library)
        library = [{"file": one.file, "frontmatter": one.frontmatter} for one in self.files]
        return given(
            workflow=launch.workflow, role=self.role, primary_role=launch.primary_role, repository=launch.repository,
            key=self.key, turn=launch.turn, library=library,
        )

    def chosen(self, answer: Mapping[str, Any]) -> _Found:
        """What the server chose, or what there is where it chose nothing."""
        selected, bundled = answer.get("selected"), answer.get("bundled")
        if selected is not None:
            own = next((one.template for one in self.files if one.file == selected.get("file")), None)
            template = selected.get("template", own)
            if template is None:
                raise PromptError(f"the server chose {selected['source']}, which is not in the library; is it a Vestry server?")
            return _Found(selected["source"], template, selected["source"])
        if self.key is not None and not self.is_off:
            committed = read_inside(self.launch.worktree, f".conductor/{self.key}.md")
            if committed is not None:
                return _Found(f"repo:.conductor/{self.key}.md", committed)
        if bundled is not None:
            return _Found(bundled["source"], bundled["template"])
        if self.inline is None:
            asked = f"the role `{self.role}` of the workflow `{self.launch.workflow}`"
            raise PromptError(f"nothing has a prompt for {asked}; give the workflow's own")
        return _Found("workflow:inline-prompt", self.inline, is_verbatim=True)

    def prompt(self, found: _Found) -> Prompt:
        """Renders it."""
        text, unknown, appended = found.template, list[str](), list[str]()
        if not found.is_verbatim:
            text, unknown, appended = render(found.template, self.launch.context, self.inline)
        inputs = {}
        if found.kept is not None:
            template = f"@{found.template}" if found.template.startswith("@") else found.template
            inputs = {f"{self.role}PromptTemplate": template, f"{self.role}PromptTemplateSource": found.kept}
        return {
            "workflow": self.launch.workflow, "role": self.role, "replaces": "user-prompt",
            "requestedSource": self.requested, "resolvedSource": found.source, "templateKey": self.key,
            "templateSha256": _sha256(found.template), "renderedSha256": _sha256(text), "template": found.template,
            "prompt": text, "unknownPlaceholders": unknown, "appendedContext": appended, "inputs": inputs,
        }


def _key(text: str) -> str | None:
    """The base name that a text ends with, which is never a path."""
    key = re.split(r"[/\\]", text)[-1].removesuffix(".md")
    return key if re.fullmatch(r"[A-Za-z0-9._-]{1,128}", key) and key not in (".", "..") else None


def _has_control(text: str) -> bool:
    return any(unicodedata.category(one) == "Cc" for one in text)


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
