"""An open source directory as pandas DataFrames: complete, cached, cleaned, charted, cited.

>>> with dirframe.sample_directory() as directory:  # or dirframe.Directory(address, key)
...     projects = dirframe.load_projects(directory)
>>> ax = projects.dirframe.plot.language_share()
"""

from __future__ import annotations

import sys

import lazy_loader

from dirframe import _modules

__version__ = "0.1.0"

# `__init__.pyi` is the list of the public names: each is imported from there on first use.
__getattr__, _, __all__ = lazy_loader.attach_stub(__name__, __file__)
_modules.set_class(sys.modules[__name__])


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
