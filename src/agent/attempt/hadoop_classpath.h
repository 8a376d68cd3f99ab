#pragma once

#include "agent/attempt/task_environment.h"
#include "os/file/files.h"

#include <string>

namespace muster::agent {

/// Returns the class path that programs need to reach HDFS through libhdfs: what `hadoop classpath`
/// of this host prints for `environment`, with its wildcards expanded without starting Java.
/// Returns "" if the host has no such program, it fails, or SKIP_HADOOP_PATH is set. Blocks for at
/// most half a minute.
[[nodiscard]] std::string hadoop_classpath(os::Files& files, const Variables& environment);

}  // namespace muster::agent
