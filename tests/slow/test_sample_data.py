"""The tools make the data of the sample and of the rehearsal again, byte for byte."""

import gzip

from dirframe._files import data_folder
from tools.synthetic.accounts import account
from tools.synthetic.generate import generate, generate_projects
from tools.synthetic.organizations import write_organizations


def test_sample_data_are_made_again(root, tmp_path):
    generate(tmp_path, accounts=2_000, projects=1_500)
    names = {path.relative_to(tmp_path) for path in tmp_path.rglob("*.xml.gz")}
    assert names == {path.relative_to(root / "data") for path in (root / "data").rglob("*.xml.gz")}
    for name in names:
        made, kept = (gzip.decompress((f / name).read_bytes()) for f in (tmp_path, root / "data"))
        assert made == kept, f"{name}: run python -m tools.synthetic data"


def test_files_of_the_rehearsal_are_made_again(tmp_path):
    write_organizations(tmp_path, list(generate_projects(1_500)), list(map(account, range(2_000))))
    kept = data_folder("rehearsal")
    made = {path.relative_to(tmp_path): path for path in tmp_path.rglob("*.xml.gz")}
    assert made.keys() == {path.relative_to(kept) for path in kept.rglob("*.xml.gz")}
    differing = [
        str(name)
        for name, path in made.items()
        if gzip.decompress(path.read_bytes()) != gzip.decompress((kept / name).read_bytes())
    ]
    assert differing == [], "run python -m tools.synthetic rehearsal --organizations"
