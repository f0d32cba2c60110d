"""What a directory does if nothing else is said: tests take these figures from its signature."""

import inspect

from dirframe import Directory

_PARAMETERS = inspect.signature(Directory).parameters

#: How long a page is fresh.
FRESH = _PARAMETERS["expire_after"].default
#: Requests of a key a day.
DAILY = _PARAMETERS["daily_quota"].default
