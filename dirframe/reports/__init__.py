"""A report on frames as one HTML page."""

import dirframe.plot  # noqa: F401  # before Matplotlib: it says what to do if that has no folder
