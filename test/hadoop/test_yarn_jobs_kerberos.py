"""A job on a cluster with Kerberos: by ticket from here, by tokens in its containers."""
# bed: kerberos
# hadoop: each
# timeout: 600

import libhdfs
import pytest
from notebooks import expect_a_life
from yarn_jobs import READS_BY_LIBHDFS, RUN_LIMIT, pyarrow

KEEPS = """
cat words.txt
if [ $MUSTER_INDEX = 1 ]; then
  python3 reads.py || exit 1
  unset HADOOP_TOKEN_FILE_LOCATION
  ! python3 reads.py
  exit
fi
cd $MUSTER_CHECKPOINT_DIR
if [ $MUSTER_ATTEMPT -gt 1 ]; then echo "found $(cat state)"; exit 0; fi
echo one > state; muster-commit one && rm state
exit 3
"""


@pytest.fixture
def alice(muster, kerberos_bed, tmp_path):
    """The program with a ticket of alice, who has a home in HDFS."""
    kerberos_bed.shell("fs", "-mkdir", "-p", "/user/alice").expect()
    # Whoever made /user first, perhaps as the parent of a private folder, has shut everybody else
    # out.
    kerberos_bed.shell("fs", "-chmod", "755", "/user").expect()
    kerberos_bed.shell("fs", "-chown", "alice", "/user/alice").expect()
    cache = f"FILE:{tmp_path}/alice"
    kerberos_bed.kdc.kinit("alice", cache)
    muster.use(kerberos_bed)
    muster.environment["KRB5CCNAME"] = cache
    return muster


def test_a_job_acts_by_tokens_in_its_containers(alice, kerberos_bed):
    kerberos_bed.shell("fs", "-put", "-f", "-", "/user/alice/words", stdin=b"by token\n").expect()
    kerberos_bed.shell("fs", "-chown", "alice", "/user/alice/words").expect()
    kerberos_bed.shell("fs", "-chmod", "600", "/user/alice/words").expect()
    alice.write("job.sh", KEEPS)
    alice.write("reads.py", READS_BY_LIBHDFS)
    words = {"src": "hdfs:///user/alice/words", "as": "words.txt"}
    spec = alice.spec({"command": "sh job.sh", "restart": {"process": 1},
                       "files": ["job.sh", "reads.py", words],
                       "python": {"interpreter": f"{pyarrow()}/python3"},
                       "env": {"ARROW_LIBHDFS_DIR": str(libhdfs.fetch()),
                               "KRB5CCNAME": "FILE:/nonexistent"},
                       "checkpoint": {"to": "hdfs:///user/alice/kept"},
                       "roles": {"worker": {"tasks": 2, "memory": "1g"}}})
    done = alice("run", spec, "--on", "yarn", within=RUN_LIMIT).expect(0)
    assert len(done.lines(r"^(\S+ \| )?by token")) >= 2, done.text
    assert done.lines("found one"), done.text
    # A program not written in Java uses them, too, and nothing else.
    assert done.lines("read by token"), done.text
    assert "Client cannot authenticate via:[TOKEN, KERBEROS]" in done.text, done.text
    shown = alice("status", "last", "--json").expect(0).json()
    assert shown["outcome"]["result"] == "succeeded"


def test_without_a_ticket_nothing_is_uploaded(alice, tmp_path):
    alice.environment["KRB5CCNAME"] = f"FILE:{tmp_path}/none"
    refused = alice("run", "-n", "1", "--on", "yarn", "--", "true", within=RUN_LIMIT)
    assert refused.code in (2, 6), refused.text
    assert "kinit" in refused.err
    assert alice.jobs() == []


def test_a_notebook_outlives_its_master(alice, kerberos_bed, python):
    expect_a_life(alice, kerberos_bed, python)
