"""Token files: Muster reads what Hadoop's tools wrote, and they read what Muster wrote."""
# bed: plain
# hadoop: each
# timeout: 600

import shutil

import pytest
from rpc_probing import Probe

FETCH = "org.apache.hadoop.hdfs.tools.DelegationTokenFetcher"
UTIL = "org.apache.hadoop.security.token.DtUtilShell"
# The names that dtutil uses, and those that the probe uses.
FORMATS = {"java": "writable", "protobuf": "protobuf"}


@pytest.fixture
def token_file(bed, tmp_path):
    """A file with the token of one NameNode, as `hdfs fetchdt` writes it."""
    path = tmp_path / "fetched"
    always = {"hdfs-site": {"dfs.namenode.delegation.token.always-use": "true"}}
    with bed.configured(always, restart=["nn1"]):
        bed.java(FETCH, "--renewer", "carol", path).expect()
    return path


def exchange(bed, source, target, form):
    """Lets Muster's code read a token file and write another; returns what it says about the tokens
    (without their age)."""
    with Probe(bed) as probe:
        tokens = probe("exchange_tokens", **{"from": str(source)}, to=str(target),
                       format=FORMATS[form])["tokens"]
    return [token.split(", issued")[0] for token in tokens]


def printed(bed, path):
    """Returns what dtutil shows for each token: kind, service, renewer, dates, all its bytes."""
    lines = bed.java(UTIL, "print", path).expect().out.splitlines()
    return [line.split() for line in lines if "DELEGATION_TOKEN" in line]


def test_tokens_go_round(bed, token_file, tmp_path):
    said = exchange(bed, token_file, tmp_path / "ours", "java")
    if token_file.read_bytes()[4] == 0:
        assert (tmp_path / "ours").read_bytes() == token_file.read_bytes()
    assert len(said) == 1
    service = f":{bed.port('nn1.rpc')}"
    assert "HDFS_DELEGATION_TOKEN for 127.0.0.1" + service in said[0]
    assert said[0].endswith("renewed by carol")
    original = printed(bed, token_file)
    assert len(original) == 1
    for form in FORMATS:
        # What their tool writes in this format, ours reads and writes again, and theirs can read
        # that.
        theirs, ours = tmp_path / f"theirs-{form}", tmp_path / f"ours-{form}"
        # It adds to a file that must exist, and keeps one copy of each token.
        shutil.copy(token_file, theirs)
        bed.java(UTIL, "append", "-format", form, token_file, theirs).expect()
        assert exchange(bed, theirs, ours, form) == said
        assert ours.read_bytes()[:5] == theirs.read_bytes()[:5]
        assert printed(bed, ours) == original
