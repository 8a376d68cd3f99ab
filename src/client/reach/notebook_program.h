#pragma once

#include <string_view>

// The files of programs/, kernel_folder.py and peer_user.py, by their names
// (cmake/task_programs.cmake).
namespace muster::client {

/// The variable in which notebook_program() finds the address of Muster's own binary (file://...),
/// if it has files to keep.
inline constexpr std::string_view kProgramVariable = "NOTEBOOK_MUSTER";
/// The variable that names the HDFS folder in which the files of its own folder are kept; a job
/// without it keeps none.
inline constexpr std::string_view kKeptVariable = "NOTEBOOK_KEPT";

/// Python: the task of a notebook's job. Its arguments are the seconds after which a server that
/// nobody uses ends (0: never), the folder to show ("": its own), and kernel_folder_program()
/// followed by peer_user_program() and notebook_kernels_program(). Runs JupyterLab, or the server
/// alone where that is all there is, on a free port of 127.0.0.1 with a token of its own, which
/// nobody finds in a command line, an environment or a log. With files to keep it stays beside the
/// server until all that has changed is in HDFS; what is deleted here is deleted there, too, while
/// the server runs.
[[nodiscard]] std::string_view notebook_program();

/// Python: a module that makes a Jupyter server turn away other users of its host, and start its
/// Python kernels on Unix sockets, which those users cannot reach. Needs kernel_folder_program()
/// and peer_user_program() before it.
[[nodiscard]] std::string_view notebook_kernels_program();

/// Python: makes the folder for such sockets (python/src/muster/jupyter/kernel_folder.py).
[[nodiscard]] std::string_view kernel_folder_program();

/// Python: says which user is at the other end of a connection
/// (python/src/muster/jupyter/peer_user.py).
[[nodiscard]] std::string_view peer_user_program();

/// Python: waits in the task until that server answers; prints its port, its token, the page to
/// begin with and, if it has files to keep, where they are kept.
[[nodiscard]] std::string_view notebook_place_program();

}  // namespace muster::client
