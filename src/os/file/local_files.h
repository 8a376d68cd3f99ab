#pragma once

#include "os/file/files.h"
#include "rt/loop.h"

#include <memory>

namespace muster::os {

/// The files of this host. `loop` gets the callbacks of lock waits and must outlive the object;
/// nullptr if no lock is waited for (short tools, the keeper).
[[nodiscard]] std::unique_ptr<Files> make_local_files(rt::Loop* loop);

}  // namespace muster::os
