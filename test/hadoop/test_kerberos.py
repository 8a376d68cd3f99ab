"""Kerberos: muster-krb5 with a real realm; what a ticket gets, and what a token is then good
for."""
# bed: kerberos
# hadoop: each
# timeout: 900

import layout
import pytest
from rpc_probing import APPLICATIONS, Probe, RefusedError, fields_of, message, with_token
from waiting import until

PROTECTIONS = [[], ["authentication"], ["integrity"], ["privacy"]]
OF_RM = {"protocol": APPLICATIONS, "principal": "rm/_HOST@BED", "what": "ResourceManager"}
COULD_NOT_START = 6
INVALID = "org.apache.hadoop.security.token.SecretManager$InvalidToken"


@pytest.fixture
def probe(kerberos_bed):
    with Probe(kerberos_bed) as probe:
        yield probe


@pytest.fixture
def alice(kerberos_bed, tmp_path):
    """The probe with a ticket of alice."""
    cache = kerberos_bed.kdc.kinit("alice", f"FILE:{tmp_path}/alice")
    with Probe(kerberos_bed, KRB5CCNAME=cache) as probe:
        yield probe


def lookups_since(bed, size):
    log = bed.folder / "logs" / "nn1.log"
    return [line for line in log.read_text(errors="replace")[size:].splitlines()
            if "cmd=getfileinfo" in line]


def refused_at_last(probe, fields, what):
    """Calls, each time on a new connection, until it is refused; returns the error."""
    errors = []

    def refused():
        probe.open("nn1.rpc", **fields)
        try:
            probe.call("getFileInfo", "/")
        except RefusedError as error:
            errors.append(error)
        return errors

    return until(refused, 60, what)[0]


@pytest.mark.parametrize("protections", PROTECTIONS)
def test_calls_by_ticket_and_by_token(kerberos_bed, probe, protections):
    probe.open("nn1.rpc", protections=protections)
    token = probe.token()
    # Large and small messages, many under way: each is wrapped in its turn.
    assert probe("rate", method="getFileInfo", request=message("/" + "x" * 200).hex(), calls=200,
                 callers=16)["calls"] == 200
    size = (kerberos_bed.folder / "logs" / "nn1.log").stat().st_size
    probe.open("nn1.rpc", protections=protections, **with_token(token))
    assert probe.call("getFileInfo", "/")
    until(lambda: lookups_since(kerberos_bed, size), 30, "the audit line of the call")
    assert f"ugi={layout.user()}@BED (auth:TOKEN)" in lookups_since(kerberos_bed, size)[-1] or (
        f"ugi={layout.user()} (auth:TOKEN)" in lookups_since(kerberos_bed, size)[-1])


@pytest.mark.parametrize("protections", PROTECTIONS)
def test_the_resource_manager_knows_tickets_and_tokens(probe, protections):
    probe.open("rm1.rpc", protections=protections, **OF_RM)
    token = probe.token(renewer=layout.user())
    assert probe.call("getClusterMetrics")
    assert probe.renew(token) > 0
    probe.open("rm1.rpc", protections=protections, protocol=APPLICATIONS, **with_token(token))
    assert probe.call("getClusterMetrics")


def test_acts_for_another_user(probe, alice):
    probe.open("nn1.rpc", user="bob", real_user=layout.user())
    assert probe.call("getFileInfo", "/")
    alice.open("nn1.rpc", user="alice")
    assert alice.call("getFileInfo", "/")
    error = alice.open("nn1.rpc", user="bob", real_user="alice").refused("getFileInfo", "/")
    assert "alice" in str(error) and "not allowed to impersonate bob" in str(error)
    assert "hadoop.proxyuser.alice" in str(error)


def test_a_token_is_renewed_by_its_renewer_and_cancelled(probe, alice):
    token = alice.open("nn1.rpc").token(renewer=layout.user())
    error = alice.refused("renewDelegationToken", token)
    assert "non-matching renewer" in str(error) and error.code == "permission_denied"
    assert probe.open("nn1.rpc").renew(token) > 0
    alice.call("cancelDelegationToken", token)
    error = probe.open("nn1.rpc", **with_token(token)).refused("getFileInfo", "/")
    assert (error.code, error.blame, error.java_class) == ("unauthenticated", "user", INVALID)
    assert "can't be found in cache" in str(error)
    assert "get a new token" in str(error)


def test_an_expired_token_is_told(kerberos_bed, probe):
    short = {"hdfs-site": {"dfs.namenode.delegation.token.renew-interval": 1000}}
    with kerberos_bed.configured(short, restart=["nn1"]):
        token = probe.open("nn1.rpc").token()
        error = refused_at_last(probe, with_token(token), "the token expires")
    assert error.code == "unauthenticated" and "expired" in str(error)
    assert "get a new token" in str(error)


def test_tokens_of_others_and_malformed_ones_are_refused(probe):
    other = with_token(probe.open("rm1.rpc", **OF_RM).token())
    for fields in (other, {"identifier": "00", "password": "00"},
                   {**with_token(probe.open("nn1.rpc").token()), "password": "0102"}):
        error = probe.open("nn1.rpc", attempts=3, **fields).refused("getFileInfo", "/")
        assert error.blame in ("user", "cluster")
        assert "token" in str(error)


def test_without_credentials_it_says_what_to_bring(probe):
    # With neither Kerberos configured nor a token: the server's refusal, and what to do.
    error = probe.open("nn1.rpc", kerberos=False, user="alice").refused("getFileInfo", "/")
    assert error.code == "unauthenticated"
    assert "SIMPLE authentication is not enabled" in str(error)
    assert "kinit" in str(error) and "HADOOP_TOKEN_FILE_LOCATION" in str(error)


def test_says_that_there_is_no_ticket(kerberos_bed, tmp_path):
    with Probe(kerberos_bed, KRB5CCNAME=f"FILE:{tmp_path}/none") as probe:
        error = probe.open("nn1.rpc").refused("getFileInfo", "/")
    assert error.code == "unauthenticated" and error.blame == "user"
    assert "no valid Kerberos ticket" in str(error) and "kinit" in str(error)


def test_says_that_the_ticket_has_expired(kerberos_bed, tmp_path):
    cache = kerberos_bed.kdc.kinit("alice", f"FILE:{tmp_path}/short", "1s")
    with Probe(kerberos_bed, KRB5CCNAME=cache) as probe:
        error = refused_at_last(probe, {}, "the ticket expires")
    assert error.code == "unauthenticated"
    assert "expired" in str(error) and "kinit" in str(error)


def test_refuses_a_server_of_another_name(probe):
    error = probe.open("nn1.rpc", principal="other/_HOST@BED").refused("getFileInfo", "/")
    assert "calls itself nn/localhost, the configuration expects other/_HOST@BED" in str(error)
    assert error.code == "unauthenticated"


def test_says_that_the_realm_is_another(kerberos_bed, tmp_path):
    conf = tmp_path / "krb5.conf"
    conf.write_text(kerberos_bed.kdc.conf.read_text()
                    + "[domain_realm]\n localhost = ELSEWHERE\n")
    with Probe(kerberos_bed, KRB5_CONFIG=str(conf)) as probe:
        error = probe.open("nn1.rpc").refused("getFileInfo", "/")
    assert error.code == "unauthenticated"
    assert "nn@localhost" in str(error) and "ELSEWHERE" in str(error)
    assert "krb5.conf" in str(error)


def test_says_that_no_key_server_answers(kerberos_bed, tmp_path):
    cache = kerberos_bed.kdc.kinit("alice", f"FILE:{tmp_path}/alice")
    conf = tmp_path / "krb5.conf"
    text = kerberos_bed.kdc.conf.read_text()
    conf.write_text(text.replace(f":{kerberos_bed.port('kdc.tcp')}", ":1"))
    with Probe(kerberos_bed, KRB5_CONFIG=str(conf), KRB5CCNAME=cache) as probe:
        error = probe.open("nn1.rpc").refused("getFileInfo", "/")
    assert "nn@localhost" in str(error) and "krb5.conf" in str(error)


def test_says_what_the_server_wants(kerberos_bed, probe):
    private = {"core-site": {"hadoop.rpc.protection": "privacy"}}
    with kerberos_bed.configured(private, restart=["nn1"]):
        assert fields_of(probe.open("nn1.rpc", protections=["privacy"]).token().hex())
        error = probe.open("nn1.rpc", protections=["authentication"]).refused("getFileInfo", "/")
    assert ("the server offers privacy, but hadoop.rpc.protection allows authentication"
            in str(error))


def test_doctor_looks_at_the_ticket(kerberos_bed, muster, tmp_path):
    cache = kerberos_bed.kdc.kinit("alice", f"FILE:{tmp_path}/alice")
    muster.use(kerberos_bed).environment["KRB5CCNAME"] = cache
    done = muster("doctor", within=60).expect(0)
    assert "alice by kerberos, ticket of alice@BED ends in" in done.out
    assert done.out.count("responds to alice") == 2
    muster.environment["KRB5CCNAME"] = f"FILE:{tmp_path}/none"
    done = muster("doctor", within=60).expect(COULD_NOT_START)
    assert "kinit" in done.out
