#pragma once

#include "base/result.h"
#include "cluster/yarn/session.h"
#include "hadoop/credentials.h"
#include "rt/async.h"

#include <set>
#include <string>

namespace muster::cluster::yarn {

/// Gets the tokens by which a job's containers act in HDFS as the requesting user, if that user has
/// Kerberos tickets: one for each file system, renewed by the resource manager as long as the job
/// lives. `authorities`: hdfs::Location's; "" is the default file system. Empty if the cluster
/// requires no tickets, or if the user has only tokens, which are passed on.
[[nodiscard]] rt::Async<Result<hadoop::Credentials>> fetch_tokens(
    Session* session, std::set<std::string> authorities);

}  // namespace muster::cluster::yarn
