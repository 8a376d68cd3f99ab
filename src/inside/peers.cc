#include "inside/peers.h"

#include "net/address.h"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <system_error>

namespace muster::inside {
namespace {

/// Returns a literal address in the one form in which the kernel's addresses are written, too.
std::string canonical(const std::string& host) {
  const auto literal = net::parse_literal(host, 0);
  return literal.has_value() ? net::literal_of(*literal) : host;
}

/// Returns whether an address is this host's own: which of them a connection comes from does not
/// depend on where it goes.
bool is_loopback(const std::string& host) { return host.starts_with("127.") || host == "::1"; }

/// Returns null for a text that is not JSON.
boost::json::value parsed(std::string_view view_json) {
  boost::system::error_code failed;
  boost::json::value view = boost::json::parse(boost::json::string_view(view_json), failed);
  return failed ? boost::json::value() : view;
}

/// Returns the addresses of one role: from a list by index or, if tasks come and go, an object by
/// index.
std::map<uint32_t, std::string> addresses_of(const boost::json::value& tasks) {
  std::map<uint32_t, std::string> found;
  const auto add = [&](uint32_t index, const boost::json::value& task) {
    if (task.is_string()) {
      found.emplace(index, std::string(std::string_view(task.get_string())));
    }
  };
  if (const boost::json::array* const list = tasks.if_array()) {
    for (uint32_t index = 0; index < list->size(); ++index) {
      add(index, (*list)[index]);
    }
  }
  if (const boost::json::object* const object = tasks.if_object()) {
    for (const auto& [key, task] : *object) {
      uint32_t index = 0;
      if (std::from_chars(key.data(), key.data() + key.size(), index).ptr ==
          key.data() + key.size()) {
        add(index, task);
      }
    }
  }
  return found;
}

}  // namespace

std::set<std::string> hosts_in_view(std::string_view view_json) {
  std::set<std::string> hosts;
  const boost::json::value view = parsed(view_json);
  if (!view.is_object()) {
    return hosts;
  }
  for (const auto& [role, tasks] : view.get_object()) {
    for (const auto& [index, text] : addresses_of(tasks)) {
      if (const auto address = net::parse_host_port(text); address.has_value()) {
        hosts.insert(canonical(address->host));
      }
    }
  }
  return hosts;
}

std::set<std::string> roles_in_view(std::string_view view_json) {
  std::set<std::string> roles;
  const boost::json::value view = parsed(view_json);
  if (view.is_object()) {
    for (const auto& [role, tasks] : view.get_object()) {
      roles.emplace(std::string_view(role));
    }
  }
  return roles;
}

std::map<uint32_t, std::string> role_in_view(std::string_view view_json, std::string_view role) {
  const boost::json::value view = parsed(view_json);
  const boost::json::value* const tasks =
      view.is_object() ? view.get_object().if_contains(boost::json::string_view(role)) : nullptr;
  return tasks == nullptr ? std::map<uint32_t, std::string>() : addresses_of(*tasks);
}

std::string address_in_view(std::string_view view_json, std::string_view role, uint32_t index) {
  const std::map<uint32_t, std::string> addresses = role_in_view(view_json, role);
  const auto found = addresses.find(index);
  return found == addresses.end() ? std::string() : found->second;
}

std::string text_of(const std::filesystem::path& view_file) {
  std::ifstream file(view_file, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

bool Peers::admits(std::string_view peer) {
  const auto address = net::parse_host_port(peer);
  return address.has_value() && admits_host(canonical(address->host));
}

bool Peers::admits_host(const std::string& host) {
  const auto known = [&] {
    return hosts_.contains(host) || (is_loopback(host) && std::ranges::any_of(hosts_, is_loopback));
  };
  if (known()) {
    return true;
  }
  std::error_code failed;
  const auto written = std::filesystem::last_write_time(view_file_, failed);
  if (!failed && written != read_at_) {
    read();
  }
  return known();
}

void Peers::read() {
  std::error_code failed;
  const auto written = std::filesystem::last_write_time(view_file_, failed);
  const std::string text = text_of(view_file_);
  read_at_ = written;
  hosts_ = hosts_in_view(text);
}

}  // namespace muster::inside
