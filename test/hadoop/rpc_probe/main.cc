// Speaks Hadoop's RPC as told: one JSON object per line in, one out. Driven by
// test/hadoop/rpc_probing.py and by tools/measure/rpc.py.
//
// Each request has "do" and its own fields; each answer has either what was asked for or "error",
// "code", "blame", "class" and "may_be_done". Messages are the protobuf bytes in hexadecimal
// digits: the probe knows no service.
#include "probe.h"

int main() {
  muster::probe::Probe().serve();
  return 0;
}
