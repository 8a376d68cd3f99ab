#pragma once

#include "base/result.h"
#include "base/time.h"
#include "hadoop/hdfs/names/name_node.h"
#include "rt/async.h"

#include <string>

namespace muster::cluster::yarn {

/// Returns whether what is old below a user's staging root is to be removed now: once a day,
/// whoever asks from whatever host. If it is, it is nobody else's turn for a day. When it was last
/// done stands there as the time of the folder `cleaned`; all times are HDFS's own.
///
/// Two who ask at the same moment can both hear yes: cleaning twice does no harm. `scratch`: as for
/// hadoop::hdfs::server_time(). Errors: HDFS's.
[[nodiscard]] rt::Async<Result<bool>> take_cleaning_turn(hadoop::hdfs::NameNode* name_node,
                                                         std::string root, std::string scratch);

}  // namespace muster::cluster::yarn
