"""What the commands show of a job, whichever cluster it runs on: one list, run against each.

A cluster's test has one test for each behaviour of `BEHAVIOURS`, called with the program, the
cluster's name and how long a job may take there. testing/cluster_contract.h has the same list one
floor below, on fakes.
"""

from harness import eventually


def submit(muster, cluster, within, command="echo hello; exec sleep 1000"):
    return muster.submit(command, cluster, within)


def status(muster, job, within):
    return muster("status", job, "--json", within=within).expect(0).json()


def runs(muster, job, within):
    eventually(lambda: status(muster, job, within)["phase"] == "running", within, "it runs")


def listed(muster, command, cluster, within, *words):
    rows = muster(command, "--on", cluster, "--json", *words, within=within).expect(0).json()
    return [row["job"] for row in rows["jobs"]]


def is_listed_where_it_belongs(muster, cluster, within):
    job = submit(muster, cluster, within)
    runs(muster, job, within)
    assert job in listed(muster, "ps", cluster, within)
    assert job not in listed(muster, "history", cluster, within)
    muster("stop", job, within=within).expect(0)
    eventually(lambda: job in listed(muster, "history", cluster, within), within, "it has ended")
    assert job not in listed(muster, "ps", cluster, within)


def is_told_while_it_runs_and_after(muster, cluster, within):
    job = submit(muster, cluster, within)
    runs(muster, job, within)
    told = status(muster, job, within)
    assert (told["job"], told["on"], told["outcome"]) == (job, cluster, None)
    assert told["page"].startswith("http")
    assert "is not waiting for anything" in muster("why", job, within=within).expect(0).out
    muster("stop", job, within=within).expect(0)
    told = status(muster, job, within)
    assert (told["phase"], told["outcome"]["result"]) == ("ended", "stopped")
    assert "has ended" in muster("why", job, within=within).expect(0).out
    facts = muster("show", job, "--json", within=within).expect(0).json()["facts"]
    assert facts[0]["index"] == 0 and any("stop" in (fact["text"] or "") for fact in facts)


def shows_its_output_during_and_after(muster, cluster, within):
    job = submit(muster, cluster, within)
    eventually(lambda: "hello" in muster("logs", job, within=within).out, within, "its output")
    following = muster.start("logs", job, "-f")
    following.sees("worker:0 | hello", within)
    muster("stop", job, within=within).expect(0)
    assert following.wait(within).expect(0).out.count("hello") == 1
    told = muster("logs", job, "worker:0", "--stream", "stdout", within=within).expect(0).out
    assert told == "worker:0 | hello\n"


def shows_the_same_to_one_who_follows_later(muster, cluster, within):
    """All of it, once and in order; a follower who joins while the task writes holds up nobody
    else."""
    end = muster.folder / "end"
    job = submit(muster, cluster, within, "n=0; until [ -e " + str(end) + " ]; do n=$((n + 1)); "
                 "echo n=$n=; sleep 0.05; done; echo all $n; exec sleep 1000")
    logs = ("logs", job, "worker:0", "--stream", "stdout")
    eventually(lambda: "n=1=" in muster(*logs, within=within).out, within, "its output")
    first = muster.start(*logs, "-f")
    first.sees("n=3=", within)
    second = muster.start(*logs, "-f")
    seen = int(second.sees(r"n=(\d+)=", within).group(1))
    first.sees(f"n={seen + 20}=", within)
    end.touch()
    last = int(first.sees(r"all (\d+)", within).group(1))
    second.sees("all ", within)
    muster("stop", job, within=within).expect(0)
    lines = [*(f"n={n}=" for n in range(1, last + 1)), f"all {last}"]
    told = "".join(f"worker:0 | {line}\n" for line in lines)
    for each in (first.wait(within), second.wait(within), muster(*logs, within=within)):
        assert each.expect(0).out == told, each.out


def keeps_the_order_of_both_streams_where_asked(muster, cluster, within):
    lines = "for n in 1 2 3; do echo out $n; echo err $n >&2; done"
    muster.environment["MUSTER_SET_LOGS__MERGED"] = "true"
    job = submit(muster, cluster, within, lines)
    eventually(lambda: status(muster, job, within)["phase"] == "ended", within, "it has ended")
    told = muster("logs", job, "worker:0", within=within).expect(0).out
    # On Spark the node has already printed something.
    assert told.endswith("".join(f"worker:0 | out {n}\nworker:0 | err {n}\n" for n in (1, 2, 3)))


def stops_once_and_for_all(muster, cluster, within):
    job = submit(muster, cluster, within)
    stopped = muster("stop", job, "--json", within=within).expect(0).json()
    assert stopped["state"] == "stopped"
    again = muster("stop", job, "--json", within=within).expect(0).json()
    assert again["state"] == "has already ended"


def is_found_by_a_beginning_of_its_id(muster, cluster, within):
    job = submit(muster, cluster, within, "true")
    assert status(muster, job[:-2], within)["job"] == job
    assert status(muster, "last", within)["job"] == job
    muster("status", "nobody-zzzzzz", "--on", cluster,
           within=within).expect_error(2, "no such job: nobody-zzzzzz")


def refuses_what_can_never_fit(muster, cluster, within):
    spec = muster.spec({"command": "true", "roles": {"worker": {"tasks": 1, "memory": "900t"}}})
    muster("submit", spec, "--on", cluster, within=within).expect(6)
    assert listed(muster, "ps", cluster, within) == []


BEHAVIOURS = (
    is_listed_where_it_belongs,
    is_told_while_it_runs_and_after,
    shows_its_output_during_and_after,
    shows_the_same_to_one_who_follows_later,
    keeps_the_order_of_both_streams_where_asked,
    stops_once_and_for_all,
    is_found_by_a_beginning_of_its_id,
    refuses_what_can_never_fit,
)
