"""A Kerberos realm of the bed's own: MIT's KDC from Debian, run by whoever runs the bed."""

import contextlib
import os
import pathlib
import shutil
import socket
import subprocess

import layout

REALM = "BED"
SERVICES = ("nn", "dn", "rm", "nm", "HTTP")
USERS = ("alice", "bob")
SBIN = "/usr/sbin:/sbin:/usr/bin:/bin"

CLIENT_CONF = """\
[libdefaults]
 default_realm = {realm}
 dns_lookup_kdc = false
 dns_lookup_realm = false
 dns_canonicalize_hostname = false
 rdns = false
 udp_preference_limit = 1
 ticket_lifetime = 24h
 renew_lifetime = 7d
 forwardable = true
[realms]
 {realm} = {{
  kdc = 127.0.0.1:{port}
 }}
"""

SERVER_CONF = """\
[kdcdefaults]
 kdc_listen = ""
 kdc_tcp_listen = 127.0.0.1:{port}
[realms]
 {realm} = {{
  database_name = {folder}/principal
  key_stash_file = {folder}/stash
  acl_file = {folder}/acl
  supported_enctypes = aes256-cts-hmac-sha1-96:normal aes128-cts-hmac-sha1-96:normal
  max_life = 24h
  max_renewable_life = 7d
 }}
"""


class KdcError(AssertionError):
    """The realm is not as it was asked for."""


class Kdc:
    """The realm in a folder: principals of the daemons and of USERS, keytabs, ticket caches."""

    def __init__(self, folder, port):
        self.folder = pathlib.Path(folder)
        self.port = port
        self.conf = self.folder / "krb5.conf"
        self.services = self.folder / "services.keytab"

    @property
    def command(self):
        """Returns the command that runs the KDC in the foreground."""
        return [tool("krb5kdc"), "-n", "-r", REALM, "-P", str(self.folder / "pid")]

    @property
    def environment(self):
        return {"KRB5_CONFIG": str(self.conf), "KRB5_KDC_PROFILE": str(self.folder / "kdc.conf"),
                "PATH": SBIN, "LANG": "C.UTF-8"}

    @property
    def cache(self):
        """Returns the ticket cache of the daemons' own user, who is HDFS's superuser."""
        return f"FILE:{self.folder}/{layout.user()}.tickets"

    def make(self):
        """Makes the realm's files; the KDC is not running yet."""
        self.folder.mkdir()
        self.conf.write_text(CLIENT_CONF.format(realm=REALM, port=self.port))
        (self.folder / "kdc.conf").write_text(
            SERVER_CONF.format(realm=REALM, port=self.port, folder=self.folder))
        self.run("kdb5_util", "create", "-s", "-P", "bed", "-r", REALM)
        lines = []
        for service in SERVICES:
            lines += [f"addprinc -randkey {service}/localhost",
                      f"ktadd -k {self.services} {service}/localhost"]
        for user in {*USERS, layout.user()}:
            lines += [f"addprinc -randkey {user}", f"ktadd -k {self.keytab(user)} {user}"]
        self.run("kadmin.local", "-r", REALM, stdin="\n".join(lines) + "\n")
        missing = [path for path in (self.services, self.keytab(layout.user()))
                   if not path.exists()]
        if missing:
            raise KdcError(f"kadmin.local did not write {missing[0]}")

    def answers(self):
        """Returns whether the KDC accepts connections."""
        with contextlib.suppress(OSError):
            socket.create_connection(("127.0.0.1", self.port), 5).close()
            return True
        return False

    def keytab(self, user):
        return self.folder / f"{user}.keytab"

    def kinit(self, user=None, cache=None, lifetime=None):
        """Gets a ticket for the user, with a lifetime such as `5s`; returns the cache's name."""
        user = user or layout.user()
        cache = cache or f"FILE:{self.folder}/{user}.tickets"
        life = ["-l", lifetime] if lifetime else []
        self.run("kinit", *life, "-c", cache, "-k", "-t", self.keytab(user), f"{user}@{REALM}")
        return cache

    def run(self, name, *words, stdin=""):
        done = subprocess.run([tool(name), *words], env={**os.environ, **self.environment},
                              input=stdin, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise KdcError(f"{name} failed: {done.stdout}{done.stderr}")
        return done.stdout


def tool(name):
    path = shutil.which(name, path=SBIN)
    if not path:
        raise KdcError(f"{name} is missing; run: tools/setup hadoop")
    return path
