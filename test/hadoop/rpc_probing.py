"""The RPC probe (rpc_probe/): one process that makes the calls it is told to, in raw protobuf."""

from probe_process import ProbeProcess, RefusedError

__all__ = ["APPLICATIONS", "Probe", "RefusedError", "fields_of", "message", "with_token"]

APPLICATIONS = "org.apache.hadoop.yarn.api.ApplicationClientProtocolPB"


class Probe(ProbeProcess):
    def __init__(self, bed, **variables):
        super().__init__(bed, "rpc_probe", **variables)

    def open(self, *ports, **fields):
        """Names the servers for the calls that follow, by ports of the bed; returns itself."""
        if self.bed.kdc and "identifier" not in fields:
            fields = {"kerberos": True, "principal": "nn/_HOST@BED", **fields}
        elif "identifier" not in fields:
            fields = {"user": "alice", **fields}
        self("open", servers=[f"localhost:{self.bed.port(port)}" for port in ports], **fields)
        return self

    def call(self, method, *values, **fields):
        """Calls a method; returns the fields of its reply, number → value, the last of each."""
        return fields_of(self("call", method=method, request=message(*values).hex(),
                              **fields)["reply"])

    def refused(self, method, *values, **fields):
        """Calls a method that must fail; returns the error, which is one line."""
        return super().refused("call", method=method, request=message(*values).hex(), **fields)

    # Calls that both NameNode and ResourceManager have.

    def token(self, renewer="alice"):
        """Gets a delegation token; returns it as a message."""
        return self.call("getDelegationToken", renewer)[1]

    def renew(self, token):
        """Renews a token; returns its new end, in milliseconds."""
        return self.call("renewDelegationToken", token)[1]


def with_token(token):
    """Returns what open() needs to show a token instead of a ticket."""
    fields = fields_of(token.hex())
    return {"identifier": fields[1].hex(), "password": fields[2].hex()}


def varint(number):
    out = b""
    while number > 0x7F:
        out += bytes([number & 0x7F | 0x80])
        number >>= 7
    return out + bytes([number])


def message(*values):
    """Returns a message whose fields 1, 2, ... are these: text, bytes, numbers; None is left out.
    """
    out = b""
    for number, value in enumerate(values, 1):
        if isinstance(value, str):
            value = value.encode()
        if isinstance(value, bytes):
            out += varint(number << 3 | 2) + varint(len(value)) + value
        elif value is not None:
            out += varint(number << 3) + varint(int(value))
    return out


def fields_of(digits):
    data, found = bytes.fromhex(digits), {}
    at = 0

    def number():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(data):
        key = number()
        if key & 7 == 0:
            found[key >> 3] = number()
        elif key & 7 == 2:
            size = number()
            found[key >> 3] = data[at:at + size]
            at += size
        else:
            size = {1: 8, 5: 4}[key & 7]
            found[key >> 3] = data[at:at + size]
            at += size
    return found
