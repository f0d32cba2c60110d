"""Write a synthetic directory: ``python -m tools.synthetic FOLDER``.

The defaults write the bundled sample again.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from tools.synthetic.generate import generate

if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tools.synthetic", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--accounts", type=int, default=2_000)
    parser.add_argument("--projects", type=int, default=1_500)
    generate(**vars(parser.parse_args()))
