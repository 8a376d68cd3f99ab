#include "inside/horovod_slots.h"

#include "inside/peers.h"
#include "net/address.h"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <optional>
#include <system_error>
#include <tuple>
#include <utility>

namespace muster::inside {
namespace {

Error malformed(std::string_view what) {
  return {.code = Errc::Corrupt,
          .blame = Blame::User,
          .message = fmt::format("the driver's file of slots is malformed: {}", what)};
}

std::optional<uint32_t> number_in(const boost::json::value& value) {
  uint32_t number = 0;
  if (const auto* const text = value.if_string()) {
    const char* const end = text->data() + text->size();
    const auto read = std::from_chars(text->data(), end, number);
    return read.ec == std::errc() && read.ptr == end ? std::optional(number) : std::nullopt;
  }
  boost::system::error_code failed;
  number = value.to_number<uint32_t>(failed);
  return failed ? std::nullopt : std::optional(number);
}

Result<Slot> slot_in(const boost::json::value& value) {
  const boost::json::object* const object = value.if_object();
  const boost::json::value* const host = object ? object->if_contains("hostname") : nullptr;
  if (host == nullptr || !host->is_string()) {
    return malformed("a slot has no hostname");
  }
  Slot slot;
  slot.host = std::string_view(host->get_string());
  for (const auto& [name, member] :
       {std::pair("rank", &Slot::rank), std::pair("size", &Slot::size),
        std::pair("localRank", &Slot::local_rank), std::pair("localSize", &Slot::local_size),
        std::pair("crossRank", &Slot::cross_rank), std::pair("crossSize", &Slot::cross_size)}) {
    const boost::json::value* const found = object->if_contains(name);
    const auto number = found == nullptr ? std::nullopt : number_in(*found);
    if (!number) {
      return malformed(fmt::format("a slot's {} is not a number", name));
    }
    slot.*member = *number;
  }
  return slot;
}

/// Returns the hosts of all tasks but the driver, in the order of their indices.
std::map<std::tuple<uint32_t, std::string>, std::string> workers_in(std::string_view view_json,
                                                                    std::string_view driver) {
  std::map<std::tuple<uint32_t, std::string>, std::string> hosts;
  for (const std::string& role : roles_in_view(view_json)) {
    for (const auto& [index, text] : role_in_view(view_json, role)) {
      const auto address = net::parse_host_port(text);
      if (role != driver && address.has_value()) {
        hosts.emplace(std::tuple(index, role), address->host);
      }
    }
  }
  return hosts;
}

}  // namespace

Result<std::vector<Slot>> parse_slots(std::string_view json) {
  boost::system::error_code failed;
  const boost::json::value list = boost::json::parse(boost::json::string_view(json), failed);
  const boost::json::array* const all = failed ? nullptr : list.if_array();
  if (all == nullptr) {
    return malformed(failed ? failed.message() : "it is not a list");
  }
  std::vector<Slot> slots;
  for (const boost::json::value& value : *all) {
    MUSTER_TRY(Slot slot, slot_in(value));
    slots.push_back(std::move(slot));
  }
  return slots;
}

std::string worker_list(std::string_view view_json, std::string_view driver) {
  std::map<std::string, uint32_t> counts;
  for (const auto& [task, host] : workers_in(view_json, driver)) {
    ++counts[host];
  }
  std::string list;
  for (const auto& [host, count] : counts) {
    list += fmt::format("{}{}:{}", list.empty() ? "" : ",", host, count);
  }
  return list;
}

Result<Slot> slot_for(const std::vector<Slot>& slots, std::string_view view_json,
                      std::string_view driver, std::string_view role, uint32_t index) {
  const auto workers = workers_in(view_json, driver);
  const auto self = workers.find(std::tuple(index, std::string(role)));
  if (self == workers.end()) {
    return user_error(fmt::format("{}:{} is not in the view", role, index));
  }
  const std::string& host = self->second;
  const auto position = static_cast<size_t>(std::count_if(
      workers.begin(), self, [&](const auto& worker) { return worker.second == host; }));
  std::vector<Slot> here;
  std::ranges::copy_if(slots, std::back_inserter(here),
                       [&](const Slot& slot) { return slot.host == host; });
  std::ranges::sort(here, {}, &Slot::local_rank);
  if (position >= here.size()) {
    return user_error(
        fmt::format("the driver has assigned {} of its {} slots to {}, but this is task {} there: "
                    "CLUSTER_WORKER_LIST says how many each host needs",
                    here.size(), slots.size(), host, position + 1));
  }
  return here[position];
}

}  // namespace muster::inside
