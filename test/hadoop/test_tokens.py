"""Token files: Muster reads what Hadoop's tools wrote, and they read what Muster wrote."""
# bed: plain
# hadoop: each
# timeout: 600

import os
import pathlib
import shutil
import subprocess

import pytest

FETCH = "org.apache.hadoop.hdfs.tools.DelegationTokenFetcher"
UTIL = "org.apache.hadoop.security.token.DtUtilShell"
# In the words of dtutil, and in those of the unit test that does the work here.
FORMATS = {"java": "writable", "protobuf": "protobuf"}


@pytest.fixture
def token_file(bed, tmp_path):
    """A file with the token of one NameNode, as `hdfs fetchdt` writes it."""
    path = tmp_path / "fetched"
    always = {"hdfs-site": {"dfs.namenode.delegation.token.always-use": "true"}}
    with bed.configured(always, restart=["nn1"]):
        bed.java(FETCH, "--renewer", "carol", path).expect()
    return path


def exchange(source, target, form):
    """Lets Muster's code read a token file and write another; returns what it says of the tokens
    (the age left out)."""
    program = pathlib.Path(os.environ["MUSTER_BINARY"]).with_name("hadoop_test")
    done = subprocess.run(
        [program, "--gtest_filter=TokenFile.IsExchangedWithHadoopsTools"], check=False,
        env={"MUSTER_TOKENS_FROM": str(source), "MUSTER_TOKENS_TO": str(target),
             "MUSTER_TOKENS_FORMAT": FORMATS[form]}, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    return [line.split(", issued")[0] for line in done.stdout.splitlines()
            if line.startswith("token ")]


def printed(bed, path):
    """Returns what dtutil shows of each token: kind, service, renewer, dates, all its bytes."""
    lines = bed.java(UTIL, "print", path).expect().out.splitlines()
    return [line.split() for line in lines if "DELEGATION_TOKEN" in line]


def test_tokens_go_round(bed, token_file, tmp_path):
    said = exchange(token_file, tmp_path / "ours", "java")
    if token_file.read_bytes()[4] == 0:
        assert (tmp_path / "ours").read_bytes() == token_file.read_bytes()
    assert len(said) == 1
    service = f":{bed.port('nn1.rpc')}"
    assert "HDFS_DELEGATION_TOKEN for 127.0.0.1" + service in said[0]
    assert said[0].endswith("renewed by carol")
    original = printed(bed, token_file)
    assert len(original) == 1
    for form in FORMATS:
        # What their tool writes in this format, ours reads and writes again, and theirs reads.
        theirs, ours = tmp_path / f"theirs-{form}", tmp_path / f"ours-{form}"
        # It adds to a file that must be there, and keeps one of each token.
        shutil.copy(token_file, theirs)
        bed.java(UTIL, "append", "-format", form, token_file, theirs).expect()
        assert exchange(theirs, ours, form) == said
        assert ours.read_bytes()[:5] == theirs.read_bytes()[:5]
        assert printed(bed, ours) == original
