"""`muster doctor` looks at the cluster that the machine is configured for."""
# bed: plain

COULD_NOT_START = 6


def test_doctor_finds_the_cluster(bed, muster):
    done = muster.use(bed)("doctor").expect(0)
    assert f"{bed.conf}/core-site.xml" in done.out
    assert f"hdfs://localhost:{bed.port('nn1.rpc')} responds to" in done.out
    assert f"localhost:{bed.port('rm1.rpc')} responds to" in done.out
    assert "2 of 2 nodes are active" in done.out
    findings = muster("doctor", "--json").expect(0).json()["findings"]
    assert {"hadoop", "login", "hdfs", "yarn"} <= {finding["subject"] for finding in findings}


def test_doctor_names_what_is_wrong(bed, muster):
    def doctor(site):
        muster.use(bed).environment["HADOOP_CONF_DIR"] = str(bed.client_conf(site))
        return muster("doctor", within=60).expect(COULD_NOT_START).out

    web = {"core-site": {"fs.defaultFS": f"hdfs://localhost:{bed.port('nn1.http')}"},
           "yarn-site": {"yarn.resourcemanager.address": f"localhost:{bed.port('rm1.http')}"}}
    assert doctor(web).count("an HTTP server answers") == 2
    nobody = {"core-site": {"fs.defaultFS": "hdfs://no-such-host.invalid:8020"}}
    assert "no-such-host.invalid" in doctor(nobody)
    word = {"core-site": {"hadoop.security.authentication": "password"}}
    assert "core-site.xml:" in doctor(word)


def test_doctor_looks_at_a_node_by_a_job(bed, yarn):
    findings = {finding["subject"]: finding for finding in
                yarn("doctor", "--on", "yarn", "--deep", "--json", within=300).json()["findings"]}
    assert findings["node"]["verdict"] == "good", findings
    assert "has /usr/bin/python3 (3.11" in findings["node python"]["text"], findings
    assert findings["node noexec"]["verdict"] == "good", findings
    assert "node hadoop" not in findings, findings
    yarn("doctor", "--on", "nowhere").expect_error(2, "there is no such cluster")
