#pragma once

#include "os/file/files.h"
#include "spec/spec.h"

#include <filesystem>
#include <string>

namespace muster::client {

/// Returns advice for people whose tasks will not find each other: the job has several tasks and no
/// framework, yet one of its programs, as far as it can be read here, uses one to join the others.
/// "" if there is none. Looks at one file per role; paths are relative to `folder`.
[[nodiscard]] std::string peers_hint(os::Files& files, const spec::Spec& spec,
                                     const std::filesystem::path& folder);

}  // namespace muster::client
