"""Validate the overrides of country resolution."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

import pandas as pd

from dirframe.clean._vocabulary.iso import countries
from dirframe.errors import InvalidInputError

Overrides = Mapping[str, str | None] | pd.DataFrame


def checked_overrides(overrides: Overrides | None) -> dict[Hashable, str | None]:
    """Return the overrides by raw value; raise if a code is not a country."""
    if overrides is None:
        return {}
    if isinstance(overrides, pd.DataFrame):
        missing_columns = [name for name in ("raw", "country_alpha_2") if name not in overrides]
        if missing_columns:
            raise InvalidInputError(
                "The table of overrides has no column "
                f"{' and no column '.join(map(repr, missing_columns))}.",
                hint="A frame of overrides is the table of country_audit(), which --audit writes.",
            )
        pairs = zip(overrides["raw"], overrides["country_alpha_2"], strict=True)
    elif isinstance(overrides, Mapping):
        pairs = zip(overrides.keys(), overrides.values(), strict=True)
    else:
        raise InvalidInputError(
            "overrides is a mapping of raw values to two-letter codes (None for no country) or "
            f"the table of country_audit(), not {type(overrides).__name__}."
        )
    codes_by_value = {
        raw: None if pd.isna(code) else code for raw, code in pairs if not pd.isna(raw)
    }
    invalid = {
        raw: code
        for raw, code in codes_by_value.items()
        if code is not None and code not in countries()
    }
    if invalid:
        examples = ", ".join(f"{raw!r}: {code!r}" for raw, code in list(invalid.items())[:5])
        raise InvalidInputError(
            f"{len(invalid)} of the overrides name no country: {examples}. Give a two-letter code of "
            "ISO 3166-1 in capitals (or XK), or None for no country."
        )
    return codes_by_value
