#include "cluster/local/ready_line.h"

#include "base/text.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace muster::cluster::local {
namespace {

constexpr std::string_view kReady = "ready ";
constexpr std::string_view kError = "error ";

constexpr std::array kCodes = {
    Errc::Other,         Errc::InvalidArgument,  Errc::NotFound,
    Errc::AlreadyExists, Errc::PermissionDenied, Errc::Corrupt,
    Errc::Unavailable,   Errc::DeadlineExceeded, Errc::Cancelled,
    Errc::OutOfSpace,    Errc::NeverFits,        Errc::Unauthenticated,
    Errc::Unsupported,
};
constexpr std::array kBlames = {Blame::User, Blame::Program, Blame::Cluster, Blame::Muster};

}  // namespace

std::string ready_line(const std::string& address) { return std::string(kReady) + address + "\n"; }

std::string error_line(const Error& error) {
  std::string message = error.message;
  std::ranges::replace(message, '\n', '\x1f');
  return std::string(kError) + std::string(to_string(error.code)) + " " +
         std::string(to_string(error.blame)) + " " + message + "\n";
}

Result<std::string> parse_ready_line(const std::string& line) {
  const std::string_view text = trim(line);
  if (text.starts_with(kReady)) {
    return std::string(text.substr(kReady.size()));
  }
  const std::vector<std::string_view> words = split(text, ' ');
  if (!text.starts_with(kError) || words.size() < 4) {
    return bug("the master's first line is not the one that says it is ready");
  }
  Error error;
  for (const Errc code : kCodes) {
    error.code = to_string(code) == words[1] ? code : error.code;
  }
  for (const Blame blame : kBlames) {
    error.blame = to_string(blame) == words[2] ? blame : error.blame;
  }
  error.message = text.substr(static_cast<size_t>(words[3].data() - text.data()));
  std::ranges::replace(error.message, '\x1f', '\n');
  return error;
}

}  // namespace muster::cluster::local
