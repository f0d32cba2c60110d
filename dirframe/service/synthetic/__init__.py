"""Generate synthetic directories of any size."""

from dirframe.service.synthetic.generate import (
    SEED,
    generate,
    generate_accounts,
    generate_projects,
    write_collection,
)

__all__ = ["SEED", "generate", "generate_accounts", "generate_projects", "write_collection"]
