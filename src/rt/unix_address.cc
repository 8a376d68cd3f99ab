#include "rt/unix_address.h"

#include <algorithm>
#include <cstddef>

namespace muster::rt {

UnixAddress::UnixAddress(std::string_view text, bool is_name) {
  // An abstract name begins with a zero byte, a path ends with one.
  address_.sun_family = AF_UNIX;
  std::ranges::copy(text, static_cast<char*>(address_.sun_path) + (is_name ? 1 : 0));
  size_ = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + text.size() + 1);
}

std::optional<UnixAddress> UnixAddress::of_file(std::string_view path) {
  return path.size() > kBytesMax ? std::nullopt : std::optional(UnixAddress(path, false));
}

UnixAddress UnixAddress::of_name(std::string_view name) {
  return {name.substr(0, kBytesMax), true};
}

}  // namespace muster::rt
