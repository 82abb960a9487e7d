# SPDX-License-Identifier: MIT
"""Names of cases: the one place in Python that knows their grammar.

    name     = family "/" variant *("/" key ":" value) "/manual_time"
    family, variant, key, value = 1*(letter / digit / "_" / "-")

Keys go from coarse to fine and none comes twice. A key that is left out is at its default.
"""

import re
from dataclasses import dataclass
from typing import Optional, Tuple

ENDING = "manual_time"

_WORD = re.compile(r"[A-Za-z0-9_-]+")
_SIZE = re.compile(r"([0-9]+)(B|KiB|MiB|GiB|TiB)")
_UNIT_BYTES = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}


@dataclass(frozen=True)
class CaseName:
    family: str
    variant: str
    keys: Tuple[Tuple[str, str], ...] = ()

    def get(self, key: str) -> Optional[str]:
        return dict(self.keys).get(key)

    def without(self, *keys: str) -> Tuple[Tuple[str, str], ...]:
        return tuple(pair for pair in self.keys if pair[0] not in keys)


def parse_name(text: str) -> CaseName:
    """The parts of a case's name; ValueError says what is wrong with it."""
    parts = text.split("/")
    if len(parts) < 3 or parts[-1] != ENDING:
        raise ValueError(f"'{text}' is not family/variant/.../{ENDING}")
    family, variant = parts[:2]
    for word in (family, variant):
        if not _WORD.fullmatch(word):
            raise ValueError(f"'{text}': '{word}' is not a word")
    keys = []
    for part in parts[2:-1]:
        key, colon, value = part.partition(":")
        if not colon or not _WORD.fullmatch(key) or not _WORD.fullmatch(value):
            raise ValueError(f"'{text}': '{part}' is not key:value")
        if key in dict(keys):
            raise ValueError(f"'{text}': '{key}' comes twice")
        keys.append((key, value))
    return CaseName(family, variant, tuple(keys))


def format_name(name: CaseName) -> str:
    """The inverse of parse_name()."""
    keys = [f"{key}:{value}" for key, value in name.keys]
    return "/".join([name.family, name.variant, *keys, ENDING])


def size_bytes(text: str) -> int:
    """Bytes of a size as names carry it, for example 512MiB; ValueError otherwise."""
    match = _SIZE.fullmatch(text)
    if not match:
        raise ValueError(f"'{text}' is not a size")
    return int(match.group(1)) * _UNIT_BYTES[match.group(2)]
