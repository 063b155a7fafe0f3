"""Frontmatter, as a strict small part of YAML: flat keys with texts and lists of texts.

What is beyond it is an error with its line, never a guess.
"""

import json
import re
import unicodedata
from typing import NamedTuple

Scalar = str | int | bool | None
Frontmatter = dict[str, Scalar | list[Scalar]]

_QUOTED = re.compile(r'("(?:[^"\\]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"|\'(?:[^\']|\'\')*\')(.*)$')
_KEY = re.compile(r'("(?:[^"\\]|\\.)*"|\'(?:[^\']|\'\')*\'|[A-Za-z0-9_][\w ./-]*?)[ \t]*:(?:[ \t]+(.*))?$', re.ASCII)
_ITEM = re.compile(r"( *)-(?:[ \t]+(.*))?$")
_IN_FLOW = re.compile(r"([^\s\"'\[\]{},#&*!|>%@`][^\[\]{},]*)(.*)$")


class Refused(Exception):
    """What cannot be read, with its line."""

    def __init__(self, line: int, detail: str) -> None:
        super().__init__(detail)
        self.line, self.detail = line, detail


class Head(NamedTuple):
    """What the beginning of a file says, and the byte at which the text below it begins."""

    frontmatter: Frontmatter | None
    error: Refused | None
    body_offset: int


def head(data: bytes, is_whole: bool) -> Head:
    """Reads the head of a file, which may be whole or cut anywhere."""
    mark = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    offset = mark
    try:
        lines: list[str] = []
        at = mark
        for number, raw in enumerate(data[mark:].split(b"\n"), 1):
            at += len(raw) + 1
            is_last = at > len(data)
            if is_last and not raw:
                break
            try:
                line = raw.decode().rstrip("\r")
            except UnicodeDecodeError as error:
                if number == 1:
                    return Head(None, None, mark)
                if is_last and not is_whole:
                    break
                raise Refused(number, "this is no UTF-8 text; save the file as UTF-8") from error
            is_fence = re.fullmatch(r"---[ \t]*", line) is not None
            if number == 1 and not is_fence:
                return Head(None, None, mark)
            if number > 1 and is_fence:
                offset = min(at, len(data))
                return Head(_read(lines), None, offset)
            if number > 1 and (line.startswith("---") or re.fullmatch(r"\.\.\.[ \t]*", line)):
                raise Refused(number, "the fence is not exactly `---` on a line of its own")
            lines.append(line)
        if not lines:
            return Head(None, None, mark)
        where = "" if is_whole else " in the first 65536 bytes"
        detail = f"the frontmatter that begins here is not closed{where}; write `---` on a line of its own after it"
        raise Refused(1, detail)
    except Refused as error:
        return Head(None, error, offset)


def _read(lines: list[str]) -> Frontmatter:
    """Reads the lines of frontmatter; the first is the fence."""
    found: Frontmatter = {}
    key, indent = None, None
    for number, line in enumerate(lines, 1):
        if number == 1 or re.fullmatch(r"\s*(#.*)?", line):
            continue
        item = _ITEM.match(line)
        if item and key is not None and indent in (None, len(item[1])):
            indent = len(item[1])
            items = found[key]
            found[key] = [*(items if isinstance(items, list) else []), _scalar(item[2] or "", number)]
            continue
        entry = _KEY.match(line)
        if not entry:
            detail = "this is more than `key: text` and lists of texts; write it flatter, or use `vestry instructions`"
            raise Refused(number, detail)
        named = str(_scalar(entry[1], number)) if entry[1][0] in "\"'" else entry[1]
        if not named or named in found:
            raise Refused(number, f"the key `{named}` is empty or there twice; keep one")
        text = (entry[2] or "").strip()
        key, indent = (named, None) if not text or text.startswith("#") else (None, None)
        found[named] = _flow(text, number) if text.startswith("[") else _scalar(text, number)
    return found


def _scalar(written: str, line: int) -> Scalar:
    text = written.strip()
    quoted = _QUOTED.match(text)
    if quoted:
        if not re.fullmatch(r"[ \t]*|[ \t]+#.*", quoted[2]):
            raise Refused(line, "there is something after the quote; close it at the end of the text")
        return _shown(_unquoted(quoted[1]), line)
    plain = re.sub(r"(^|[ \t]+)#.*$", "", text)
    if re.match(r"[\"'\[\]{},&*!|>%@`]|[-?:](\s|$)", plain) or re.search(r":(\s|$)", plain):
        raise Refused(line, "put a text with special characters in quotes; nothing else but lists of texts is read here")
    return _typed(_shown(plain, line))


def _flow(text: str, line: int) -> list[Scalar]:
    """Reads `[a, "b"]` on one line."""
    items: list[Scalar] = []
    rest = text[1:].lstrip()
    while not rest.startswith("]"):
        quoted = _QUOTED.match(rest)
        found = quoted or _IN_FLOW.match(rest)
        if not found:
            raise Refused(line, "close the `[` on its line, and write nothing but texts in it")
        items.append(_shown(_unquoted(found[1]), line) if quoted else _scalar(found[1], line))
        rest = found[2].lstrip()
        if rest.startswith(","):
            rest = rest[1:].lstrip()
        elif not rest.startswith("]"):
            raise Refused(line, "close the `[` on its line, and write `,` between texts")
    if not re.fullmatch(r"\][ \t]*|\][ \t]+#.*", rest):
        raise Refused(line, "there is something after the `]`")
    return items


def _unquoted(quoted: str) -> str:
    if quoted.startswith("'"):
        return quoted[1:-1].replace("''", "'")
    return str(json.loads(quoted, strict=False))


def _shown(text: str, line: int) -> str:
    hidden = (unicodedata.category(one) in ("Cc", "Cf", "Co", "Cs") for one in text if one not in "\t\n\u200c\u200d")
    if any(hidden):
        raise Refused(line, "the value has a character that does not show; remove it")
    return text


def _typed(text: str) -> Scalar:
    words: dict[str, Scalar] = {"": None, "~": None, "null": None, "true": True, "false": False}
    if text in words:
        return words[text]
    return int(text) if re.fullmatch(r"0|-?[1-9][0-9]{0,14}", text) else text
