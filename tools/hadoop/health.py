"""What the daemons report about themselves over HTTP, and what a healthy bed reports."""

import json
import urllib.error
import urllib.request


def get_json(port, path, within=5):
    """Returns the document, or None if nobody answers with one."""
    request = urllib.request.Request(f"http://localhost:{port}{path}",
                                     headers={"Accept": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=within) as reply:
            return json.load(reply)
    except (OSError, ValueError, urllib.error.HTTPError):
        return None


def bean(port, name):
    """Returns one of the values that a daemon publishes at /jmx, or {}."""
    document = get_json(port, f"/jmx?qry=Hadoop:service={name}")
    beans = (document or {}).get("beans") or [{}]
    return beans[0]


def namenode(port):
    """Returns (state, safe mode's message, live datanodes); state is None while it is down."""
    status = bean(port, "NameNode,name=NameNodeStatus")
    system = bean(port, "NameNode,name=FSNamesystem")
    info = bean(port, "NameNode,name=NameNodeInfo")
    return status.get("State"), info.get("Safemode"), system.get("NumLiveDataNodes", 0)


def resourcemanager(port):
    """Returns (HA state, active node managers); the state is None while it is down."""
    info = (get_json(port, "/ws/v1/cluster/info") or {}).get("clusterInfo", {})
    state = info.get("haState")
    if state != "ACTIVE":
        return state, 0
    metrics = (get_json(port, "/ws/v1/cluster/metrics") or {}).get("clusterMetrics", {})
    return state, metrics.get("activeNodes", 0)


def datanode_serves(port):
    """Returns whether a datanode has registered with its namenodes since it was started."""
    actors = json.loads(bean(port, "DataNode,name=DataNodeInfo").get("BPServiceActorInfo", "[]"))
    return bool(actors) and all(actor["ActorState"] == "RUNNING" for actor in actors)


def complaints(bed):
    """Returns a line for each thing that is not as it should be; none if the bed is healthy."""
    status = bed.status()
    ended = [f"{name} is not running (it ended with {state['ended']})"
             for name, state in status.items() if state["ended"] is not None]
    nodes = of_nodes(bed, status) if bed.variant.resourcemanagers else []
    return ended or [*of_storage(bed), *nodes]


def of_storage(bed):
    found, active = [], 0
    for name in bed.variant.names("nn"):
        state, safe, live = namenode(bed.port(f"{name}.http"))
        if state is None:
            found.append(f"{name} does not answer")
        elif state == "active":
            active += 1
            if safe:
                found.append(f"{name} is in safe mode: {safe}")
            if live < bed.variant.datanodes:
                found.append(f"{name} has {live} of {bed.variant.datanodes} datanodes")
    found += ["no namenode is active"] if not active else []
    return found + [f"{name} has not registered" for name in bed.variant.names("dn")
                    if not datanode_serves(bed.port(f"{name}.http"))]


def of_nodes(bed, status):
    found, active = [], 0
    for name in bed.variant.names("rm"):
        state, nodes = resourcemanager(bed.port(f"{name}.http"))
        if state is None:
            found.append(f"{name} does not answer")
        elif state == "ACTIVE":
            active += 1
            if nodes < bed.variant.nodemanagers:
                found.append(f"{name} has {nodes} of {bed.variant.nodemanagers} node managers")
    found += ["no resource manager is active"] if not active else []
    # The resource manager still counts a killed one for a while, so ask the new process itself.
    return found + [f"{name} has not registered" for name in bed.variant.names("nm")
                    if "Registered with ResourceManager" not in bed.log(name, status)]
