"""From `country_code` as it comes to ISO 3166-1 codes and one name per country.

A wrong country is worse than a missing one: a value is looked up, never guessed, and every
value without an answer is reported with the reason.
"""

from dirframe.clean.audit import country_audit, country_note
from dirframe.clean.unify import unify_countries

__all__ = ["country_audit", "country_note", "unify_countries"]
