#pragma once

#include "base/result.h"
#include "cluster/home.h"
#include "cluster/retention.h"
#include "os/file/files.h"

namespace muster::cluster::local {

/// Removes ended jobs from this host by age, then the oldest ended ones until all jobs together
/// fit. A job that has not ended is never touched while one of its processes holds its lock, or one
/// of its containers is alive, whose agent would start another master.
[[nodiscard]] Result<Retained> clean_home(os::Files& files, const Home& home,
                                          const RetentionRules& rules, WallTime now);

}  // namespace muster::cluster::local
