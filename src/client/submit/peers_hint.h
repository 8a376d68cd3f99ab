#pragma once

#include "os/file/files.h"
#include "spec/spec.h"

#include <filesystem>
#include <string>

namespace muster::client {

/// What to tell people whose tasks will not find each other: the job has several tasks and no
/// framework, and a program of it, as far as it can be read here, joins the others by one. "" for
/// nothing. Looks at one file of each role; paths are relative to `folder`.
[[nodiscard]] std::string peers_hint(os::Files& files, const spec::Spec& spec,
                                     const std::filesystem::path& folder);

}  // namespace muster::client
