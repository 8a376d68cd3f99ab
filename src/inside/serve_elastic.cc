#include "inside/elastic.h"
#include "inside/elastic_rendezvous.h"
#include "inside/surroundings.h"
#include "net/address.h"
#include "net/socket.h"
#include "os/process/signals.h"
#include "rt/io_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <utility>

namespace muster::inside {
namespace {

void say_round(const std::string& role, uint64_t round,
               const std::vector<ElasticWorld::Index>& ranks) {
  std::string names;
  for (const ElasticWorld::Index index : ranks) {
    names += fmt::format("{}{}:{}", names.empty() ? "" : ", ", role, index);
  }
  fmt::print("round {}: {} rank{}: {}\n", round, ranks.size(), ranks.size() == 1 ? "" : "s", names);
  (void)std::fflush(stdout);
}

Status serve(const std::vector<std::string>& arguments) {
  size_t members_min = 0;
  const bool complete =
      arguments.size() == 3 &&
      std::from_chars(arguments[2].data(), arguments[2].data() + arguments[2].size(), members_min)
              .ec == std::errc{};
  if (!complete) {
    return user_error("muster elastic-rendezvous takes HOST:PORT ROLE MIN");
  }
  MUSTER_TRY(const net::HostPort address, net::parse_host_port(arguments[0]));
  MUSTER_TRY(
      net::Listening listening,
      net::listen_on({.host = address.host, .port_low = address.port, .port_high = address.port}));
  os::ignore_broken_pipes();
  rt::IoLoop loop;
  const std::string& role = arguments[1];
  const ElasticRendezvous rendezvous(
      loop, std::move(listening.fd),
      {.role = role,
       .members_min = std::max<size_t>(members_min, 1),
       .view_file = variable("MUSTER_VIEW_FILE")},
      [&](uint64_t round, const std::vector<ElasticWorld::Index>& ranks) {
        say_round(role, round, ranks);
      },
      [](const std::string& host) {
        complain("refused " + host + ": no task of this job runs there");
      });
  loop.run();
  return {};
}

}  // namespace

int serve_elastic(const std::vector<std::string>& arguments) {
  const Status served = serve(arguments);
  if (served.has_value()) {
    return 0;
  }
  complain(served.error().message);
  return 1;
}

}  // namespace muster::inside
