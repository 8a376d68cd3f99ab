#include "spec/names.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <system_error>

namespace muster::spec {
namespace {

constexpr std::string_view kLower = "abcdefghijklmnopqrstuvwxyz";
constexpr std::string_view kUpper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
constexpr std::string_view kDigits = "0123456789";
constexpr size_t kJobNameMax = 64;
constexpr size_t kRoleNameMax = 32;

bool in(char c, std::initializer_list<std::string_view> sets) {
  return std::ranges::any_of(
      sets, [c](std::string_view set) { return set.find(c) != std::string_view::npos; });
}

template <class First, class Rest>
bool fits(std::string_view name, size_t max, First first, Rest rest) {
  return !name.empty() && name.size() <= max && first(name[0]) &&
         std::ranges::all_of(name.substr(1), rest);
}

bool is_made_of(std::string_view text, std::initializer_list<std::string_view> sets) {
  return !text.empty() && std::ranges::all_of(text, [&](char c) { return in(c, sets); });
}

// Returns whether a browser would leave the folder that the path is in: it reads %2e as a dot, too,
// and a backslash as a slash.
bool leads_up(std::string_view path) {
  std::string plain;
  for (path = path.substr(0, path.find('?')); !path.empty();) {
    const bool dot = path.starts_with("%2e") || path.starts_with("%2E");
    plain += dot ? '.' : path.front() == '\\' ? '/' : path.front();
    path.remove_prefix(dot ? 3 : 1);
  }
  return (plain + '/').find("/../") != std::string::npos;
}

// What may precede the first slash of an image: a host, which may have capitals, and a port.
bool is_registry(std::string_view text) {
  const size_t colon = text.find(':');
  return is_made_of(text.substr(0, colon), {kLower, kUpper, kDigits, ".-"}) &&
         (colon == std::string_view::npos || is_made_of(text.substr(colon + 1), {kDigits}));
}

bool is_image_name(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash != std::string_view::npos && is_registry(text.substr(0, slash))) {
    text.remove_prefix(slash + 1);
  }
  const size_t colon = text.find(':');
  return is_made_of(text.substr(0, colon), {kLower, kDigits, "._-/"}) &&
         (colon == std::string_view::npos ||
          is_made_of(text.substr(colon + 1), {kLower, kUpper, kDigits, "._-"}));
}

}  // namespace

std::string wrong_job_name(std::string_view name) {
  const auto first = [](char c) { return in(c, {kLower, kUpper, kDigits}); };
  const auto rest = [](char c) { return in(c, {kLower, kUpper, kDigits, "._-"}); };
  if (fits(name, kJobNameMax, first, rest)) {
    return "";
  }
  return fmt::format(
      "`{}` is not a job name; use 1 to 64 letters, digits, `.`, `_` and `-`, and begin with "
      "a letter or a digit",
      name);
}

std::string wrong_role_name(std::string_view name) {
  const auto first = [](char c) { return in(c, {kLower}); };
  const auto rest = [](char c) { return in(c, {kLower, kDigits, "_-"}); };
  if (fits(name, kRoleNameMax, first, rest)) {
    return "";
  }
  return fmt::format(
      "`{}` is not a role name; use 1 to 32 lower-case letters, digits, `_` and `-`, and "
      "begin with a letter",
      name);
}

std::string wrong_framework_name(std::string_view name) {
  const auto first = [](char c) { return in(c, {kLower}); };
  const auto rest = [](char c) { return in(c, {kLower, kDigits, "_-"}); };
  if (name.empty() || fits(name, kRoleNameMax, first, rest)) {
    return "";
  }
  return fmt::format(
      "`{}` is not the name of a framework; use 1 to 32 lower-case letters, digits, `_` and `-`, "
      "and begin with a letter",
      name);
}

std::string wrong_variable(std::string_view name) {
  const auto first = [](char c) { return in(c, {kLower, kUpper, "_"}); };
  const auto rest = [](char c) { return in(c, {kLower, kUpper, kDigits, "_"}); };
  if (!fits(name, 256, first, rest)) {
    return fmt::format("`{}` is not a valid name of an environment variable", name);
  }
  if (name.starts_with("MUSTER_")) {
    return fmt::format("`{}` cannot be set; names that start with MUSTER_ are reserved for Muster",
                       name);
  }
  return "";
}

std::string wrong_hook(std::string_view address) {
  if (address.empty()) {
    return "";
  }
  const size_t scheme = address.starts_with("https://")  ? 8
                        : address.starts_with("http://") ? 7
                                                         : 0;
  const std::string_view host =
      address.substr(scheme, address.find_first_of("/?", scheme) - scheme);
  const bool plain = std::ranges::all_of(address, [](char c) { return c > ' ' && c < '\x7f'; });
  if (scheme == 0 || host.empty() || host.starts_with(':') || !plain ||
      address.find('#') != std::string_view::npos) {
    return fmt::format("`{}` is not an address like https://hooks.example.com/path", address);
  }
  if (host.find('@') != std::string_view::npos) {
    return "the address must not hold a user or a password; use `token` for a secret";
  }
  return "";
}

std::string wrong_mail_address(std::string_view address) {
  const size_t at = address.find('@');
  const bool plain = is_made_of(address, {kLower, kUpper, kDigits, ".!#$%&'*+/=?^_`{|}~-@"});
  const bool named = at == std::string_view::npos || (at > 0 && at + 1 < address.size());
  if (plain && named && !address.starts_with('-') &&
      address.find('@', at + 1) == std::string_view::npos) {
    return "";
  }
  return fmt::format("`{}` is not a mail address", address);
}

std::string wrong_port_name(std::string_view name) {
  const auto first = [](char c) { return in(c, {kLower}); };
  const auto rest = [](char c) { return in(c, {kLower, kDigits, "_"}); };
  if (fits(name, kRoleNameMax, first, rest)) {
    return "";
  }
  return fmt::format(
      "`{}` is not a port name; use 1 to 32 lower-case letters, digits and `_`, and "
      "begin with a letter",
      name);
}

std::string wrong_endpoint_name(std::string_view name) {
  const auto first = [](char c) { return in(c, {kLower}); };
  const auto rest = [](char c) { return in(c, {kLower, kDigits, "_-"}); };
  if (!fits(name, kRoleNameMax, first, rest)) {
    return fmt::format(
        "`{}` is not a name of an endpoint; use 1 to 32 lower-case letters, digits, `_` and `-`, "
        "and begin with a letter",
        name);
  }
  // The job's page uses this name itself.
  return name == "tensorboard"
             ? "`tensorboard` is reserved for Muster's own endpoint; use another name"
             : "";
}

std::string wrong_endpoint_port(std::string_view port) {
  uint16_t number = 0;
  const auto read = std::from_chars(port.data(), port.data() + port.size(), number);
  const bool is_port =
      read.ec == std::errc{} && read.ptr == port.data() + port.size() && number != 0;
  if (is_port || wrong_port_name(port).empty()) {
    return "";
  }
  return fmt::format(
      "`{}` is not a port; give a number from 1 to 65535, or the name of one of the "
      "role's ports",
      port);
}

std::string wrong_page_path(std::string_view path) {
  constexpr size_t kPathMax = 1024;
  const bool fits =
      path.starts_with('/') && path.size() <= kPathMax &&
      std::ranges::all_of(path, [](char c) { return c > ' ' && c != '\x7f' && c != '#'; });
  if (!fits) {
    return fmt::format("`{}` is not a path; begin with `/`, without blanks", path);
  }
  return leads_up(path) ? fmt::format(
                              "`{}` leads out of the program's own pages; write the path "
                              "without `..`",
                              path)
                        : "";
}

std::string wrong_resource(std::string_view name) {
  const auto first = [](char c) { return in(c, {kLower, kUpper, kDigits}); };
  const auto rest = [](char c) { return in(c, {kLower, kUpper, kDigits, "._/-"}); };
  if (fits(name, 256, first, rest)) {
    return "";
  }
  return fmt::format("`{}` is not a resource name like yarn.io/fpga", name);
}

std::string wrong_class(std::string_view name) {
  const auto first = [](char c) { return in(c, {kLower}); };
  const auto rest = [](char c) { return in(c, {kLower, kDigits, "._-"}); };
  if (fits(name, 64, first, rest)) {
    return "";
  }
  return fmt::format("`{}` is not a failure class like user.data", name);
}

std::string wrong_text(std::string_view text) {
  if (find_invalid_utf8(text).has_value()) {
    return "not UTF-8 text";
  }
  return text.find('\0') == std::string_view::npos ? "" : "contains a NUL byte";
}

std::string wrong_word(std::string_view text) {
  if (text.empty()) {
    return "must not be empty";
  }
  return wrong_line(text);
}

std::string wrong_line(std::string_view text) {
  if (text.find_first_of("\n\r") != std::string_view::npos) {
    return fmt::format("`{}` contains a line break", text);
  }
  return "";
}

std::string wrong_image(std::string_view image) {
  constexpr std::string_view kDigestSign = "@sha256:";
  constexpr size_t kDigestMin = 12;
  constexpr size_t kDigestMax = 64;
  const size_t at = image.find(kDigestSign);
  const std::string_view digest =
      at == std::string_view::npos ? std::string_view() : image.substr(at + kDigestSign.size());
  const bool digest_fits =
      at == std::string_view::npos || (is_made_of(digest, {kLower, kDigits}) &&
                                       digest.size() >= kDigestMin && digest.size() <= kDigestMax);
  if (digest_fits && is_image_name(image.substr(0, at))) {
    return "";
  }
  return fmt::format(
      "`{}` is not an image name like hub.example:5000/ml/tensorflow:2.15; its name has lower-case "
      "letters, digits, `.`, `_`, `-` and `/`",
      image);
}

std::string wrong_place(std::string_view path) {
  if (path.starts_with('/')) {
    return fmt::format("`{}` must be relative to the task's folder", path);
  }
  for (const std::string_view part : split(path, '/')) {
    if (part == "..") {
      return fmt::format("`{}` leads out of the task's folder", path);
    }
  }
  return wrong_line(path);
}

std::string wrong_checkpoint_dir(std::string_view path) {
  return path.empty() ? "must not be empty" : wrong_place(path);
}

std::string wrong_command(std::string_view command) {
  return trim(command).empty() ? "must not be empty" : "";
}

std::string job_name_from(std::string_view text) {
  std::string name;
  for (const char c : text.substr(0, kJobNameMax)) {
    name += in(c, {kLower, kUpper, kDigits, "._-"}) ? c : '-';
  }
  const size_t start = name.find_first_not_of("._-");
  name = start == std::string::npos ? "job" : name.substr(start);
  while (name.ends_with('-') || name.ends_with('.')) {
    name.pop_back();
  }
  return name;
}

}  // namespace muster::spec
