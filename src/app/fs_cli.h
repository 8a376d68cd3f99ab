#pragma once

#include "app/options.h"

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
}

namespace muster::app {

/// Adds ls, cat, put, ... to `group`; whichever is parsed fills in `options`.
void add_fs_verbs(CLI::App& group, FsOptions& options);

}  // namespace muster::app
