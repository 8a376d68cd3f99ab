#pragma once

#include "base/result.h"
#include "os/process/pid.h"
#include "rt/fd.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace muster::os {

/// A request from one process to another, over a socket of whole messages that they share, to start
/// a program outside the requester's own process tree: below a subreaper there is no other way out.
struct StartRequest {
  std::vector<std::string>
      argv;              ///< argv[0] is the name to show; the program is the receiver's choice.
  std::vector<int> fds;  ///< Passed on as descriptors 3, 4, ...; at most kStartFdsMax - 1.
  int output_fd = -1;    ///< Its standard output and error; -1: /dev/null.
};

inline constexpr size_t kStartFdsMax = 4;
inline constexpr size_t kStartBytesMax = 16U << 10;

/// Makes the two ends, both close-on-exec.
[[nodiscard]] Result<std::pair<rt::Fd, rt::Fd>> make_start_socket();

/// Sends a request; the descriptors are copied. Never blocks. Unavailable when the receiver is
/// gone.
[[nodiscard]] Status send_start_request(int socket, const StartRequest& request);

/// A request as it arrived, with its own copies of the descriptors.
struct ReceivedStart {
  std::vector<std::string> argv;
  std::vector<rt::Fd> fds;
  rt::Fd output;
};

/// Takes one request that has arrived. Unavailable when the sender is gone.
[[nodiscard]] Result<ReceivedStart> receive_start_request(int socket);

}  // namespace muster::os
