#include "hadoop/login.h"

#include "base/text.h"
#include "hadoop/krb5_conf.h"
#include "hadoop/principal.h"
#include "hadoop/ticket_cache.h"

#include <fmt/format.h>

#include <map>
#include <utility>

namespace muster::hadoop {
namespace {

constexpr uint64_t kCacheBytesMax = 16U << 20;

std::string variable(const std::map<std::string, std::string>& environment,
                     const std::string& name) {
  const auto found = environment.find(name);
  return found == environment.end() ? std::string() : found->second;
}

/// Fills in the %{...} of krb5.conf's default_ccache_name.
std::string fill_in(std::string text, uint32_t uid, const std::string& user) {
  const std::pair<std::string_view, std::string> words[] = {
      {"%{uid}", fmt::to_string(uid)},
      {"%{euid}", fmt::to_string(uid)},
      {"%{USERID}", fmt::to_string(uid)},
      {"%{username}", user},
      {"%{TEMP}", "/tmp"},
      {"%{null}", ""},
  };
  for (const auto& [word, value] : words) {
    for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at)) {
      text.replace(at, word.size(), value);
      at += value.size();
    }
  }
  return text;
}

Error no_ticket(std::string_view what) {
  return user_error(std::string(what), Errc::Unauthenticated);
}

Result<TicketCache> read_cache(os::Files& files, const TicketPlace& place) {
  const Result<std::string> bytes = files.read(place.path, kCacheBytesMax);
  if (!bytes) {
    if (bytes.error().code == Errc::NotFound) {
      return no_ticket(fmt::format(
          "no Kerberos ticket in {}: run kinit, or set KRB5CCNAME to the cache that has one",
          place.name));
    }
    return bytes.error().within(fmt::format("cannot read the Kerberos tickets in {}", place.name));
  }
  Result<TicketCache> cache = parse_ticket_cache(*bytes);
  if (!cache) {
    return cache.error().within(fmt::format("cannot read the Kerberos tickets in {}", place.name));
  }
  return cache;
}

Result<const Ticket*> valid_ticket(const TicketCache& cache, const TicketPlace& place,
                                   WallTime now) {
  const Ticket* ticket = cache.granting();
  if (ticket == nullptr) {
    return no_ticket(fmt::format("{} has no ticket-granting ticket of {}: run kinit", place.name,
                                 printable(cache.principal)));
  }
  if (ticket->ends <= now) {
    return no_ticket(fmt::format("the Kerberos ticket of {} in {} expired {} ago: run kinit{}",
                                 printable(cache.principal), place.name,
                                 format_duration(now - ticket->ends),
                                 ticket->renewable_until > now ? " -R, or kinit" : ""));
  }
  return ticket;
}

Result<Login> kerberos_login(const Configuration& configuration, const LoginDeps& deps) {
  Login login;
  const TicketPlace place = find_ticket_place(deps.files, configuration.surroundings(), deps.uid);
  if (place.kind == TicketPlace::Kind::Other) {
    login.user = deps.system_user;
    return login;
  }
  MUSTER_TRY(const TicketCache cache, read_cache(deps.files, place));
  MUSTER_TRY(const Ticket* ticket, valid_ticket(cache, place, deps.now));
  const Krb5Conf conf = load_krb5_conf(deps.files, configuration.surroundings().environment);
  MUSTER_TRY(const std::string rules, configuration.text("hadoop.security.auth_to_local"));
  MUSTER_TRY(const ShortNames names, ShortNames::parse(rules, conf.default_realm));
  MUSTER_TRY(const Principal principal, parse_principal(cache.principal));
  MUSTER_TRY(login.user, names.of(principal));
  login.principal = cache.principal;
  login.ticket_ends = ticket->ends;
  return login;
}

}  // namespace

TicketPlace find_ticket_place(os::Files& files, const Surroundings& surroundings, uint32_t uid) {
  std::string name = variable(surroundings.environment, "KRB5CCNAME");
  if (name.empty()) {
    name = fill_in(load_krb5_conf(files, surroundings.environment).default_cache, uid,
                   variable(surroundings.environment, "USER"));
  }
  if (name.empty()) {
    name = fmt::format("FILE:/tmp/krb5cc_{}", uid);
  }
  if (name.starts_with('/')) {
    name = "FILE:" + name;
  }
  const auto file = [&](std::string path) {
    return TicketPlace{.kind = TicketPlace::Kind::File, .path = std::move(path), .name = name};
  };
  if (name.starts_with("FILE:")) {
    return file(name.substr(5));
  }
  if (name.starts_with("DIR::")) {
    return file(name.substr(5));
  }
  if (name.starts_with("DIR:")) {
    const std::string folder = name.substr(4);
    const Result<std::string> primary = files.read(std::filesystem::path(folder) / "primary", 4096);
    const std::string cache = primary ? std::string(trim(*primary)) : std::string("tkt");
    return file(folder + "/" + cache);
  }
  return {.kind = TicketPlace::Kind::Other, .path = {}, .name = name};
}

Result<Login> who_am_i(const Configuration& configuration, const SecuritySettings& security,
                       const LoginDeps& deps) {
  Login login{.user = deps.system_user, .real_user = {}, .principal = {}, .ticket_ends = {}};
  if (security.authentication == Authentication::Kerberos) {
    MUSTER_TRY(login, kerberos_login(configuration, deps));
  }
  const std::string proxied =
      variable(configuration.surroundings().environment, "HADOOP_PROXY_USER");
  if (!proxied.empty() && proxied != login.user) {
    login.real_user = std::exchange(login.user, proxied);
  }
  return login;
}

}  // namespace muster::hadoop
