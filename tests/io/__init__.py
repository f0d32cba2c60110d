"""A frame by its old address, for tests that do not import it from tests.frames yet."""

from tests.frames import rich

__all__ = ["rich"]
