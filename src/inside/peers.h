#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace muster::inside {

/// Returns the addresses of a job's tasks, from the text of MUSTER_VIEW_FILE: literals as they
/// stand there. Empty for a text that is not a view.
[[nodiscard]] std::set<std::string> hosts_in_view(std::string_view view_json);

/// Returns the names of the roles in such a text.
[[nodiscard]] std::set<std::string> roles_in_view(std::string_view view_json);

/// Returns the addresses of a role's tasks from such a text, by index; those that have one.
[[nodiscard]] std::map<uint32_t, std::string> role_in_view(std::string_view view_json,
                                                           std::string_view role);

/// Returns the address of one task from such a text; "" where there is none.
[[nodiscard]] std::string address_in_view(std::string_view view_json, std::string_view role,
                                          uint32_t index);

/// Reads MUSTER_VIEW_FILE; "" where it cannot be read.
[[nodiscard]] std::string text_of(const std::filesystem::path& view_file);

/// Who may talk to what runs inside an attempt: the hosts of the job's tasks, according to their
/// addresses in the view, which may grow while the task runs.
class Peers {
 public:
  explicit Peers(std::filesystem::path view_file) : view_file_(std::move(view_file)) { read(); }

  /// `peer` as in net::Stream::peer(): "10.0.0.7:8020", "[::1]:8020".
  [[nodiscard]] bool admits(std::string_view peer);
  /// The same for an address without a port, as the kernel's are written: "10.0.0.7", "::1".
  [[nodiscard]] bool admits_host(const std::string& host);

 private:
  void read();

  std::filesystem::path view_file_;
  std::filesystem::file_time_type read_at_;  ///< When what was read had been written.
  std::set<std::string> hosts_;
};

}  // namespace muster::inside
