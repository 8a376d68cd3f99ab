"""The configuration of a bed: file → key → value, for its clients and for each daemon."""

import pathlib
from xml.sax.saxutils import escape

import artifacts
import gpus
import layout
from kdc import REALM, Kdc

MB = 1 << 20
BLOCK = 1 * MB
NAME_SERVICE = "bed"
YARN_CLUSTER = "bed"
NM_MEMORY_MB = 16384
NM_VCORES = 16
NM_GPUS = 4

LOG4J = """\
log4j.rootLogger=INFO,out
log4j.appender.out=org.apache.log4j.ConsoleAppender
log4j.appender.out.target=System.err
log4j.appender.out.layout=org.apache.log4j.PatternLayout
log4j.appender.out.layout.ConversionPattern=%d{HH:mm:ss,SSS} %p %c{2}: %m%n
log4j.logger.org.apache.hadoop.util.NativeCodeLoader=ERROR
log4j.logger.http.requests=WARN
"""

# Each thread that serves calls wakes once a second only to find that there is none.
FEW_SERVERS = 4

# See QuickLocalFileSystem.java; for daemons only, because clients may lack the class.
QUICK_LOCAL_FILES = {
    "fs.file.impl": "QuickLocalFileSystem",
    "fs.AbstractFileSystem.file.impl": "QuickLocalFileSystem$OfContext",
}


class Settings:
    """Writes the configuration folders; `overrides`, file → key → value, win over everything
    else."""

    def __init__(self, folder, version, variant, ports, overrides):
        self.folder = pathlib.Path(folder)
        self.version = version
        self.variant = variant
        self.ports = ports
        self.overrides = overrides

    @property
    def kdc(self):
        return Kdc(self.folder / "kdc", self.ports["kdc.tcp"]) if self.variant.kerberos else None

    def at(self, port):
        return f"localhost:{self.ports[port]}"

    def write_client(self):
        """Writes FOLDER/conf, to which a client's HADOOP_CONF_DIR points."""
        self.write(self.folder / "conf", self.files())

    def prepare_daemon(self, name):
        """Makes the files and folders that a daemon expects."""
        if layout.kind_of(name) == "rm":
            (self.folder / "excluded-nodes").touch()
        if layout.kind_of(name) == "nm":
            for part in ("local", "userlogs", "recovery"):
                (self.folder / name / part).mkdir(parents=True)

    def write_daemon(self, name):
        files = self.files()
        for file, values in self.of(name).items():
            files.setdefault(file, {}).update(values)
        self.write(self.folder / name / "conf", files)
        if layout.kind_of(name) == "nm" and self.variant.gpu_plugin:
            gpus.write(self.folder / name / "bin" / "nvidia-smi", name, NM_GPUS)

    def write(self, folder, files):
        # The servers insist on these folders, but do not need their content.
        for name in ("hdfs", "datanode", "secondary", "journal", "static"):
            (folder / "webapps" / name).mkdir(parents=True, exist_ok=True)
        for file in {*files, *self.overrides}:
            values = {**files.get(file, {}), **self.overrides.get(file, {})}
            (folder / f"{file}.xml").write_text(xml_of(values))
        (folder / "log4j.properties").write_text(LOG4J)
        # What the daemons publish at /jmx may be this old, in seconds; by default 10.
        (folder / "hadoop-metrics2.properties").write_text("*.period=1\n")

    def files(self):
        return {
            "core-site": {**self.core(), **self.secure_core()},
            "hdfs-site": {**self.hdfs(), **self.secure_hdfs()},
            "yarn-site": {**self.yarn(), **self.scheduling(), **self.secure_yarn()},
            "capacity-scheduler": capacity_scheduler(),
            "resource-types": {"yarn.resource-types": "yarn.io/gpu"},
        }

    # What everybody knows

    def core(self):
        user = layout.user()
        return {
            "fs.defaultFS": f"hdfs://{NAME_SERVICE}" if self.variant.ha
                            else f"hdfs://{self.at('nn1.rpc')}",
            "hadoop.tmp.dir": self.folder / "tmp",
            "hadoop.http.staticuser.user": user,
            f"hadoop.proxyuser.{user}.hosts": "*",
            f"hadoop.proxyuser.{user}.groups": "*",
            # Groups of users that do not exist on this machine.
            "hadoop.user.group.static.mapping.overrides": "alice=people;bob=people;carol=others",
            "hadoop.caller.context.enabled": "true",
            "ipc.client.connect.retry.interval": 200,
            "ipc.client.connect.max.retries": 60,
            # An idle connection to a daemon that was killed makes the next call on it fail: the
            # resource manager then refuses a job whose token it cannot renew. If kept for only a
            # second, no connection outlives the restart of a daemon.
            "ipc.client.connection.maxidletime": 1000,
        }

    def hdfs(self):
        values = {
            "dfs.replication": self.variant.datanodes,
            "dfs.blocksize": 128 * MB if self.variant.measured else BLOCK,
            "dfs.namenode.fs-limits.min-block-size": 1024,
            "dfs.permissions.superusergroup": "supergroup",
            "dfs.namenode.acls.enabled": "true",
        }
        if not self.variant.ha:
            return {**values, "dfs.namenode.http-address": self.at("nn1.http")}
        ids = self.variant.names("nn")
        values |= {
            "dfs.nameservices": NAME_SERVICE,
            f"dfs.ha.namenodes.{NAME_SERVICE}": ",".join(ids),
            f"dfs.client.failover.proxy.provider.{NAME_SERVICE}":
                "org.apache.hadoop.hdfs.server.namenode.ha.ConfiguredFailoverProxyProvider",
            "dfs.ha.automatic-failover.enabled": "false",
            "dfs.ha.fencing.methods": "shell(true)",
            "dfs.ha.tail-edits.period": "1s",
            "dfs.ha.log-roll.period": "2s",
            "dfs.namenode.shared.edits.dir": f"file://{self.folder}/edits",
        }
        for name in ids:
            values[f"dfs.namenode.rpc-address.{NAME_SERVICE}.{name}"] = self.at(f"{name}.rpc")
            values[f"dfs.namenode.http-address.{NAME_SERVICE}.{name}"] = self.at(f"{name}.http")
        return values

    def yarn(self):
        values = {
            "yarn.resourcemanager.connect.retry-interval.ms": 500,
            # Without it every application has priority 0.
            "yarn.cluster.max-application-priority": 10,
            "yarn.application.classpath":
                f"{self.folder}/conf,{artifacts.folder_of(self.version)}/jars/*",
            "yarn.nodemanager.remote-app-log-dir": "/tmp/logs",
            "yarn.log-aggregation-enable": "false" if self.variant.kerberos else "true",
        }
        addresses = {"address": "rpc", "scheduler.address": "scheduler", "webapp.address": "http",
                     "resource-tracker.address": "tracker", "admin.address": "admin"}
        ids = self.variant.names("rm")
        for name in ids:
            suffix = f".{name}" if self.variant.ha else ""
            values[f"yarn.resourcemanager.hostname{suffix}"] = "localhost"
            for key, port in addresses.items():
                values[f"yarn.resourcemanager.{key}{suffix}"] = self.at(f"{name}.{port}")
        if self.variant.ha:
            values |= {
                "yarn.resourcemanager.ha.enabled": "true",
                "yarn.resourcemanager.ha.rm-ids": ",".join(ids),
                "yarn.resourcemanager.cluster-id": YARN_CLUSTER,
                "yarn.resourcemanager.ha.automatic-failover.enabled": "false",
                "yarn.client.failover-sleep-base-ms": 100,
                "yarn.client.failover-sleep-max-ms": 1000,
            }
        return values

    def scheduling(self):
        """Settings for the resource manager; its clients may see them, too."""
        return {
            "yarn.resourcemanager.scheduler.class":
                "org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity."
                "CapacityScheduler",
            # Several node managers share one host name.
            "yarn.scheduler.include-port-in-node-name": "true",
            "yarn.scheduler.minimum-allocation-mb": 32,
            "yarn.scheduler.maximum-allocation-mb": NM_MEMORY_MB,
            "yarn.scheduler.maximum-allocation-vcores": NM_VCORES,
            "yarn.resourcemanager.am.max-attempts": 2,
            "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms": 250,
            "yarn.nm.liveness-monitor.expiry-interval-ms": 15000,
            "yarn.cluster.max-application-priority": 10,
            "yarn.resourcemanager.application-timeouts.monitor.interval-ms": 1000,
            "yarn.admin.acl": "*",
            "yarn.resourcemanager.nodes.exclude-path": self.folder / "excluded-nodes",
            "yarn.resourcemanager.recovery.enabled": "true",
            "yarn.resourcemanager.work-preserving-recovery.enabled": "true",
            "yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms": 500,
            "yarn.resourcemanager.store.class":
                "org.apache.hadoop.yarn.server.resourcemanager.recovery.FileSystemRMStateStore",
            "yarn.resourcemanager.fs.state-store.uri": f"file://{self.folder}/rm-state",
            "yarn.node-labels.enabled": "true",
            "yarn.node-labels.fs-store.root-dir": f"file://{self.folder}/node-labels",
            # By default in /tmp, the same for all beds, so that two starting at once would fail.
            "yarn.node-attribute.fs-store.root-dir": f"file://{self.folder}/node-attributes",
            "yarn.resourcemanager.placement-constraints.handler": "scheduler",
            "yarn.resourcemanager.scheduler.monitor.enable": "true",
            "yarn.resourcemanager.monitor.capacity.preemption.monitoring_interval": 500,
            "yarn.resourcemanager.monitor.capacity.preemption.max_wait_before_kill": 3000,
            "yarn.resourcemanager.monitor.capacity.preemption.natural_termination_factor": 1,
            "yarn.resourcemanager.monitor.capacity.preemption.total_preemption_per_round": 1,
            "yarn.resourcemanager.monitor.capacity.preemption.max_ignored_over_capacity": 0,
        }

    # What Kerberos adds

    def secure_core(self):
        if not self.kdc:
            return {}
        return {
            "hadoop.security.authentication": "kerberos",
            "hadoop.security.authorization": "true",
            # Servers accept each of them; a client that names one gets that one.
            "hadoop.rpc.protection": "authentication,integrity,privacy",
            "hadoop.security.token.service.use_ip": "false",
            # Daemons are mapped to the account that runs them; everybody else is who their
            # principal says.
            "hadoop.security.auth_to_local":
                f"RULE:[2:$1@$0](.*@{REALM})s/.*/{layout.user()}/ DEFAULT",
        }

    def secure_hdfs(self):
        if not self.kdc:
            return {}
        values = {
            "dfs.block.access.token.enable": "true",
            "dfs.data.transfer.protection": "authentication,integrity,privacy",
            "ignore.secure.ports.for.testing": "true",
            "dfs.web.authentication.kerberos.principal": f"HTTP/localhost@{REALM}",
            "dfs.web.authentication.kerberos.keytab": self.kdc.services,
        }
        for kind, service in (("namenode", "nn"), ("datanode", "dn")):
            values[f"dfs.{kind}.kerberos.principal"] = f"{service}/localhost@{REALM}"
            values[f"dfs.{kind}.keytab.file"] = self.kdc.services
        return values

    def secure_yarn(self):
        if not self.kdc:
            return {}
        values = {}
        for kind, service in (("resourcemanager", "rm"), ("nodemanager", "nm")):
            values[f"yarn.{kind}.principal"] = f"{service}/localhost@{REALM}"
            values[f"yarn.{kind}.keytab"] = self.kdc.services
        return values

    # What each daemon has besides

    def of(self, name):
        return getattr(self, "of_" + layout.kind_of(name))(name)

    def of_nn(self, name):
        values = {
            "dfs.namenode.name.dir": f"file://{self.folder}/{name}/name",
            "dfs.namenode.safemode.extension": 0,
            "dfs.namenode.safemode.min.datanodes": 1,
            "dfs.namenode.datanode.registration.ip-hostname-check": "false",
            # Dead after 2 rechecks and 10 heartbeats, 12 s; the minimum for stale is 3 heartbeats.
            "dfs.heartbeat.interval": 1,
            "dfs.namenode.heartbeat.recheck-interval": 1000,
            "dfs.namenode.stale.datanode.interval": 3000,
            "dfs.namenode.redundancy.interval.seconds": 1,
            # Between two scans for blocks to delete: 10 by default, which is half of an idle name
            # node's cost.
            "dfs.namenode.block.deletion.unlock.interval.ms": 200,
        }
        if self.variant.ha:
            values["dfs.ha.namenode.id"] = name
        return {"hdfs-site": values}

    def of_dn(self, name):
        return {"hdfs-site": {
            "dfs.datanode.data.dir": f"file://{self.folder}/{name}/data",
            "dfs.datanode.hostname": "localhost",
            "dfs.datanode.handler.count": FEW_SERVERS,
            "dfs.datanode.address": self.at(f"{name}.data"),
            "dfs.datanode.http.address": self.at(f"{name}.http"),
            "dfs.datanode.ipc.address": self.at(f"{name}.ipc"),
            "dfs.heartbeat.interval": 1,
            "dfs.datanode.scan.period.hours": -1,
        }}

    def of_rm(self, name):
        # The threads that serve calls, 150 by default, are most of an idle resource manager's cost
        # (see FEW_SERVERS).
        values = {f"yarn.resourcemanager.{calls}client.thread-count": 10
                  for calls in ("", "scheduler.", "resource-tracker.")}
        if self.variant.ha:
            values["yarn.resourcemanager.ha.id"] = name
        return {"core-site": QUICK_LOCAL_FILES, "yarn-site": values}

    def of_nm(self, name):
        own = self.folder / name
        counted = {"yarn.nodemanager.resource-type.yarn.io/gpu": NM_GPUS}
        found = {
            "yarn.nodemanager.resource-plugins": "yarn.io/gpu",
            "yarn.nodemanager.resource-plugins.gpu.path-to-discovery-executables":
                own / "bin" / "nvidia-smi",
        }
        environment = "MALLOC_ARENA_MAX=$MALLOC_ARENA_MAX"
        if self.variant.gpu_plugin:
            environment += f",PATH={own}/bin:{layout.PATH}"
        if self.kdc:
            # Java in containers would otherwise look in /etc.
            environment += f",JAVA_TOOL_OPTIONS=-Djava.security.krb5.conf={self.kdc.conf}"
        return {
            "core-site": QUICK_LOCAL_FILES,
            "node-resources": {} if self.variant.gpu_plugin else counted,
            "yarn-site": {
                **(found if self.variant.gpu_plugin else {}),
                "yarn.nodemanager.hostname": "localhost",
                "yarn.nodemanager.admin-env": environment,
                "yarn.nodemanager.container-manager.thread-count": FEW_SERVERS,
                "yarn.nodemanager.address": self.at(f"{name}.rpc"),
                "yarn.nodemanager.localizer.address": self.at(f"{name}.localizer"),
                "yarn.nodemanager.webapp.address": self.at(f"{name}.http"),
                "yarn.nodemanager.collector-service.address": self.at(f"{name}.collector"),
                "yarn.nodemanager.local-dirs": own / "local",
                "yarn.nodemanager.log-dirs": own / "userlogs",
                "yarn.nodemanager.resource.memory-mb": NM_MEMORY_MB,
                "yarn.nodemanager.resource.cpu-vcores": NM_VCORES,
                "yarn.nodemanager.vmem-check-enabled": "false",
                "yarn.nodemanager.disk-health-checker.enable": "false",
                # It checks once at its start in any case, and takes no containers on a disk that is
                # fuller than this: by default 90 %, however much is free.
                "yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage":
                    100,
                "yarn.nodemanager.recovery.enabled": "true",
                "yarn.nodemanager.recovery.supervised": "true",
                "yarn.nodemanager.recovery.dir": own / "recovery",
                "yarn.nodemanager.localizer.cache.target-size-mb": 512,
                "yarn.nodemanager.log-aggregation.compression-type": "none",
            },
        }


def capacity_scheduler():
    """Two queues that lend each other everything and take it back by preemption, and a label
    `gpu`."""
    root = "yarn.scheduler.capacity.root"
    values = {
        "yarn.scheduler.capacity.maximum-am-resource-percent": 1,
        "yarn.scheduler.capacity.resource-calculator":
            "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator",
        "yarn.scheduler.capacity.node-locality-delay": -1,
        f"{root}.queues": "default,other",
        f"{root}.accessible-node-labels": "*",
        f"{root}.accessible-node-labels.gpu.capacity": 100,
        f"{root}.default.accessible-node-labels": "gpu",
        f"{root}.default.accessible-node-labels.gpu.capacity": 100,
        f"{root}.default.accessible-node-labels.gpu.maximum-am-resource-percent": 1,
        # No labels; without the blank the parent's would apply.
        f"{root}.other.accessible-node-labels": " ",
    }
    for queue, share in (("default", 70), ("other", 30)):
        values |= {f"{root}.{queue}.capacity": share, f"{root}.{queue}.maximum-capacity": 100,
                   f"{root}.{queue}.user-limit-factor": 10}
    return values


def xml_of(values):
    properties = "".join(
        f"  <property><name>{escape(key)}</name><value>{escape(str(value))}</value></property>\n"
        for key, value in sorted(values.items()))
    return f'<?xml version="1.0"?>\n<configuration>\n{properties}</configuration>\n'
