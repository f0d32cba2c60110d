"""The program that starts a kernel, without the time that its imports take: see `tests.kernels`."""

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

    from tests.kernels import become_kernel

    sys.exit(become_kernel())
