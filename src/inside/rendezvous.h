#pragma once

#include "inside/job_server.h"
#include "inside/kv_answers.h"
#include "inside/peers.h"
#include "rt/fd.h"
#include "rt/io_loop.h"

namespace muster::inside {

/// The key-value store in which the ranks of Horovod's static mode meet, over HTTP, for the hosts
/// of the job's tasks.
///
/// Lives on its loop's thread.
class Rendezvous {
 public:
  /// `listening`: a socket that listens, non-blocking. `refused` is called once for each host that
  /// is turned away.
  Rendezvous(rt::IoLoop& loop, rt::Fd listening, Peers peers, JobServer::Refused refused);

 private:
  KvAnswers store_;
  JobServer server_;  ///< Last: it uses the store.
};

}  // namespace muster::inside
