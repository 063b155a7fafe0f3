"""What a `.gitignore` file names: its patterns, as Git reads them."""

import re
from typing import NamedTuple

_TOKEN = re.compile(r"^\*\*/|/\*\*/|/\*\*$|\*+|\?|\[[!^]?\]?(?:\\.|[^\]\\])*\]|\\.|.", re.DOTALL)


class Rule(NamedTuple):
    """A pattern: what it names, whether directories only, and whether it takes them out or back."""

    names: re.Pattern[str]
    of_folders: bool
    ignores: bool


class Patterns:
    """The patterns of one file; paths are given from its directory."""

    def __init__(self, text: str) -> None:
        lines = text.removeprefix("\ufeff").split("\n")
        self._rules = [rule for line in reversed(lines) if (rule := _rule(line))]

    def names(self, path: str, is_folder: bool) -> bool | None:
        """True where the file names a path, False where it takes it back, None where it says nothing."""
        for rule in self._rules:
            if (is_folder or not rule.of_folders) and rule.names.fullmatch(path):
                return rule.ignores
        return None


def _rule(line: str) -> Rule | None:
    text = line if line.endswith("\\ ") else line.rstrip()
    if not text or text.startswith("#"):
        return None
    ignores = not text.startswith("!")
    text = re.sub(r"^!|^\\(?=[!#])", "", text)
    of_folders = text.endswith("/")
    text = text.removesuffix("/")
    glob = text.removeprefix("/") if "/" in text else f"**/{text}"
    try:
        return Rule(re.compile(_expression(glob), re.DOTALL), of_folders, ignores)
    except re.error:
        # A pattern that is none matches nothing.
        return None


def _expression(glob: str) -> str:
    """A glob as a regular expression: only `**` between slashes goes over them."""
    made = ""
    for part in _TOKEN.findall(glob):
        if part == "**/":
            made += "(?:.*/)?"
        elif part == "/**/":
            made += "/(?:.*/)?"
        elif part == "/**":
            made += "/.+"
        elif part.startswith("*"):
            made += "[^/]*"
        elif part == "?":
            made += "[^/]"
        elif part.startswith("[") and len(part) > 1:
            inside = part[1:-1]
            is_not = inside.startswith(("!", "^"))
            inside = re.sub(r"[\[\]^&~|]", r"\\\g<0>", inside[1:] if is_not else inside)
            made += f"(?!/)[{'^' if is_not else ''}{inside}]"
        else:
            made += re.escape(part.removeprefix("\\") if len(part) > 1 else part)
    return made
