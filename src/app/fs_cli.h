#pragma once

#include "app/options.h"

namespace CLI {
class App;
}

namespace muster::app {

/// Adds ls, cat, put, ... to `group`; whichever is parsed fills in `options`.
void add_fs_verbs(CLI::App& group, FsOptions& options);

}  // namespace muster::app
