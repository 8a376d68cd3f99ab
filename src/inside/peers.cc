#include "inside/peers.h"

#include "net/address.h"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <system_error>

namespace muster::inside {
namespace {

/// A literal in the one way in which the kernel's addresses are written, too.
std::string canonical(const std::string& host) {
  const auto literal = net::parse_literal(host, 0);
  return literal.has_value() ? net::literal_of(*literal) : host;
}

/// Of this very host: which of them a connection comes from does not depend on where it goes.
bool is_loopback(const std::string& host) { return host.starts_with("127.") || host == "::1"; }

}  // namespace

std::set<std::string> hosts_in_view(std::string_view view_json) {
  std::set<std::string> hosts;
  boost::system::error_code failed;
  const boost::json::value view =
      boost::json::parse(boost::json::string_view(view_json.data(), view_json.size()), failed);
  if (failed || !view.is_object()) {
    return hosts;
  }
  for (const auto& [role, tasks] : view.get_object()) {
    if (!tasks.is_array()) {
      continue;
    }
    for (const boost::json::value& task : tasks.get_array()) {
      if (!task.is_string()) {
        continue;
      }
      const std::string_view text(task.get_string().data(), task.get_string().size());
      if (const auto address = net::parse_host_port(text); address.has_value()) {
        hosts.insert(canonical(address->host));
      }
    }
  }
  return hosts;
}

std::string address_in_view(std::string_view view_json, std::string_view role, uint32_t index) {
  boost::system::error_code failed;
  const boost::json::value view =
      boost::json::parse(boost::json::string_view(view_json.data(), view_json.size()), failed);
  if (failed || !view.is_object()) {
    return {};
  }
  const boost::json::value* const tasks =
      view.get_object().if_contains(boost::json::string_view(role.data(), role.size()));
  const boost::json::array* const list = tasks == nullptr ? nullptr : tasks->if_array();
  const boost::json::value* const task =
      list == nullptr || index >= list->size() ? nullptr : &(*list)[index];
  const boost::json::string* const text = task == nullptr ? nullptr : task->if_string();
  return text == nullptr ? std::string() : std::string(text->data(), text->size());
}

bool Peers::admits(std::string_view peer) {
  const auto address = net::parse_host_port(peer);
  if (!address.has_value()) {
    return false;
  }
  const std::string host = canonical(address->host);
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
  std::ifstream file(view_file_, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  read_at_ = written;
  hosts_ = hosts_in_view(text);
}

}  // namespace muster::inside
