"""Map raw `country_code` values to ISO 3166-1 codes and one name per country.

A wrong country is worse than a missing one: values are looked up, never guessed, and every
unresolved value is reported with the reason.
"""

from dirframe.clean.countries import country_audit, country_note, unify_countries

__all__ = ["country_audit", "country_note", "unify_countries"]
