"""What a person decides about single values, checked before it is used."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

import pandas as pd

from dirframe.clean._vocabulary.iso import countries
from dirframe.errors import Hint, InvalidInputError

__all__ = ["Overrides", "checked_overrides"]

Overrides = Mapping[str, str | None] | pd.DataFrame


def checked_overrides(overrides: Overrides | None) -> dict[Hashable, str | None]:
    """Return the overrides by raw value; an answer that is no country is an error."""
    if overrides is None:
        return {}
    if isinstance(overrides, pd.DataFrame):
        lacking = [name for name in ("raw", "country_alpha_2") if name not in overrides]
        if lacking:
            raise InvalidInputError(
                "The table of overrides has no column "
                f"{' and no column '.join(map(repr, lacking))}.",
                hint=Hint(
                    "A frame of overrides is the table of country_audit().",
                    shell="Overrides are what --audit writes.",
                ),
            )
        pairs = zip(overrides["raw"], overrides["country_alpha_2"], strict=True)
    elif isinstance(overrides, Mapping):
        pairs = zip(overrides.keys(), overrides.values(), strict=True)
    else:
        raise InvalidInputError(
            "overrides is a mapping of raw values to two-letter codes (None for no country) or "
            f"the table of country_audit(), not {type(overrides).__name__}."
        )
    chosen = {raw: None if pd.isna(code) else code for raw, code in pairs if not pd.isna(raw)}
    wrong = {
        raw: code for raw, code in chosen.items() if code is not None and code not in countries()
    }
    if wrong:
        shown = ", ".join(f"{raw!r}: {code!r}" for raw, code in list(wrong.items())[:5])
        raise InvalidInputError(
            f"{len(wrong)} of the overrides name no country: {shown}. Give a two-letter code of "
            "ISO 3166-1 in capitals (or XK), or None for no country."
        )
    return chosen
