"""``python -m dirframe`` does what ``dirframe`` does."""

from dirframe.cli import main

main()
