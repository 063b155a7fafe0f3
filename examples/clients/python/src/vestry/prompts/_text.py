"""What a text has to be, to be a template, and why there is no prompt."""

import re
import unicodedata

MAX_TEMPLATE = 1 << 20
"""The most bytes of a template."""
_SPACE = " \t\r\n"
_SOLID = re.compile(f"[^{_SPACE}]")
_JOINERS, _SELECTORS = "\u200c\u200d", "\ufe0e\ufe0f"
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u3164\uffa0\ufe00-\ufe0f\ufff0-\ufff8\U000e0000-\U000e0fff"
    "\u2800\u2d7f\ufffc\U0001107f\U00016fe4\U0001d159]"
)
"""What nobody sees although its category says letter, mark or symbol."""
_EMOJI = re.compile("[\u203c\u2049\u2139\u3030\u303d\U0001f000-\U0001faff]")
"""Emoji that are no symbols, or not yet known to this Python: they show."""


class PromptError(Exception):
    """Why there is no prompt, in one sentence."""


def is_blank(text: str) -> bool:
    """Whether a text has nothing but spaces, tabs and line breaks."""
    return _SOLID.search(text) is None


def trimmed(text: str) -> str:
    """Without the spaces, tabs and line breaks at its end."""
    return text.rstrip(_SPACE)


def well_formed(text: str, what: str) -> str:
    """A text that is Unicode: half of a surrogate pair is no character, and has no bytes."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise PromptError(f"{what} has half of a surrogate pair, which is no character; give it as Unicode text") from error
    return text


def checked(content: bytes, what: str) -> str:
    """The text of a template, without the byte order mark that some editors begin it with."""
    if len(content) > MAX_TEMPLATE:
        raise PromptError(f"{what} is refused: it has more than {MAX_TEMPLATE} bytes; shorten it")
    try:
        text = content.decode().removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise PromptError(f"{what} is refused: it is no UTF-8 text; save it as UTF-8") from error
    if is_blank(text):
        raise PromptError(f"{what} is refused: it is blank; write the prompt, or remove the file")
    hidden = {one for one in set(text) if one not in "\t\n" and _is_hidden(one)}
    for at, one in enumerate(text if hidden else ""):
        if one in hidden and not _shows_here(text, at):
            line = text.count("\n", 0, at) + 1
            raise PromptError(f"{what} is refused: line {line}: the character U+{ord(one):04X} does not show when read; remove it")
    if not unicodedata.is_normalized("NFC", text):
        raise PromptError(f"{what} is refused: it is not in Unicode Normalization Form C; normalise it (NFC)")
    return text


def _is_hidden(one: str) -> bool:
    if unicodedata.category(one) in ("Cc", "Cf", "Co", "Cn", "Cs", "Zl", "Zp"):
        return _EMOJI.match(one) is None
    return _UNSEEN.match(one) is not None


def _shows_here(text: str, at: int) -> bool:
    """Whether what nobody sees shows where it stands: a line break, a joiner or a selector in what is written with it."""
    one, before, after = text[at], text[max(at - 1, 0) : at], text[at + 1 : at + 2]
    if one == "\r":
        return after == "\n"
    if one in _SELECTORS:
        return _is_emoji(before) or (before in tuple("0123456789#*") and after == "\u20e3")
    if one == "\u200d" and before == "\ufe0f":
        return _is_emoji(text[max(at - 2, 0) : at - 1])
    is_written = before > "\x7f" and not _is_hidden(before) and unicodedata.category(before)[0] in "LMS"
    return one in _JOINERS and is_written


def _is_emoji(one: str) -> bool:
    """Whether it is an emoji, or may be one."""
    return one > "\x7f" and (_EMOJI.match(one) is not None or (unicodedata.category(one)[0] == "S" and not _is_hidden(one)))
