"""An open source directory as pandas DataFrames: complete, cached, cleaned, charted, cited."""

__version__ = "0.1.0"
