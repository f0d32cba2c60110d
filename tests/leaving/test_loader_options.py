"""Options of loaders and what belongs to them: one test each, that the main thing works."""

import pytest
import requests

import dirframe
from tests.rig.server import Rig


@pytest.fixture
def rig():
    with Rig(55).in_process() as opened:
        yield opened


def test_auth_signs_each_request_and_nothing_is_stored(rig, tmp_path):
    class Grant(requests.auth.AuthBase):
        def __call__(self, request):
            request.headers["Authorization"] = "Bearer token"
            return request

    with rig.directory(tmp_path, auth=Grant()) as directory:
        for _ in range(2):
            assert len(dirframe.load_projects(directory, max_items=10, progress=False)) == 10
    assert [asked.headers["Authorization"] for asked in rig.requests] == ["Bearer token"] * 2
