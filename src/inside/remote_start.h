#pragma once

#include <string>
#include <vector>

namespace muster::inside {

/// `muster start-node`, the command of a task in which another task of the job starts programs, as
/// mpirun starts its daemons: listens on the task's address, and runs the commands of anyone who
/// knows the job's MUSTER_TASK_KEY, in the task's folder and with its environment. A program ends
/// with the connection that started it. Returns only if it cannot listen: the exit status, with a
/// message on standard error.
[[nodiscard]] int serve_starts(const std::vector<std::string>& arguments);

/// `muster start-on TASK COMMAND...`, in the place of ssh: has the task `worker-3`, as it is in the
/// view, run the command by its shell, and waits for its end. Returns the command's exit status;
/// 255, as ssh does, where it cannot be told or started, with a message on standard error.
[[nodiscard]] int start_remotely(const std::vector<std::string>& arguments);

/// The proof that a command comes from a task of the job: HMAC-SHA256 of the challenge and the
/// command under the key, in hexadecimal.
[[nodiscard]] std::string proof_of(const std::string& key, const std::string& challenge,
                                   const std::string& command);

}  // namespace muster::inside
