#pragma once

#include <string_view>

namespace muster::client {

/// Python: the task of a notebook's job. Its arguments are the seconds after which a server that
/// nobody uses ends (0: never), and the folder to show ("": its own). Becomes JupyterLab, or the
/// server alone where that is all there is, on a free port of 127.0.0.1 with a token of its own,
/// which nobody finds in a command line, an environment or a log.
[[nodiscard]] std::string_view notebook_program();

/// Python: waits in the task until that server answers; prints its port, its token and the page to
/// begin with.
[[nodiscard]] std::string_view notebook_place_program();

/// Python: ends with 0 where there is a server to be started.
[[nodiscard]] std::string_view notebook_check_program();

}  // namespace muster::client
