"""A role of min to max tasks: it starts with what there is, and grows when there is more."""

import re

# The agents of the others may learn of one that joins later than the client does.
VIEW = r"""
echo up: $(cat $MUSTER_VIEW_FILE)
{wait}
until [ $(grep -o '127\.0\.0\.1:' $MUSTER_VIEW_FILE | grep -c .) = 3 ]; do sleep 0.02; done
echo at last: $(cat $MUSTER_VIEW_FILE)
"""


def memory_of_machine(muster):
    """In MiB, as much as jobs on this machine can have."""
    capacity = muster("plan", "-n", "1", "--json", "--", "true").expect(0).json()["capacity"]
    number, unit = re.search(r"([0-9.]+) ([KMGT])iB of memory", capacity).groups()
    return int(float(number) * {"K": 1 / 1024, "M": 1, "G": 1024, "T": 1024 * 1024}[unit])


def test_an_elastic_role_grows_when_others_end(muster, gate):
    memory = memory_of_machine(muster)
    big = muster.start("run", "-n", "1", "--set", f"roles.worker.memory={memory * 6 // 10}m", "--",
                       "sh", "-c", f"echo big; {gate.wait}")
    big.sees("big")
    last = gate.path.with_name("last")
    muster.write("view.sh", VIEW.format(wait=f"while ! [ -e {last} ]; do sleep 0.02; done"))
    running = muster.start("run", muster.spec({
        "command": "sh view.sh", "files": ["view.sh"],
        "roles": {"worker": {"min": 1, "max": 3, "memory": f"{memory // 4}m"}}}))
    running.sees(r"worker:\d \| up")
    running.sees("waiting: .* of memory on this machine")
    gate.open()
    running.sees(r"worker:\d joins: worker now has 3 tasks \(min 1, max 3\)")
    last.touch()
    done = running.wait().expect(0)
    big.wait().expect(0)
    views = [len(re.findall(r"127\.0\.0\.1", line)) for line in done.lines(r"\| at last")]
    assert views and set(views) == {3}, done.text
