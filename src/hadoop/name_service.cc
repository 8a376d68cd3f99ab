#include "hadoop/name_service.h"

#include "base/text.h"
#include "hadoop/conf_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace muster::hadoop {
namespace {

constexpr std::string_view kDefaultFs = "fs.defaultFS";
constexpr std::string_view kScheme = "hdfs";

bool is_logical(const Configuration& configuration, std::string_view name) {
  return configuration.is_set(fmt::format("dfs.client.failover.proxy.provider.{}", name)) ||
         configuration.is_set(fmt::format("dfs.ha.namenodes.{}", name));
}

Result<NameService> logical_service(const Configuration& configuration, std::string_view name) {
  NameService service{.name = std::string(name), .logical = true, .name_nodes = {}};
  const std::string ids_key = fmt::format("dfs.ha.namenodes.{}", name);
  MUSTER_TRY(const std::vector<std::string> ids, configuration.list(ids_key));
  if (ids.empty()) {
    // A name service with one NameNode that clients reach through a proxy provider.
    const std::string key = fmt::format("dfs.namenode.rpc-address.{}", name);
    if (!configuration.is_set(key)) {
      return configuration.wrong(ids_key, "list the ids of its NameNodes in hdfs-site.xml");
    }
    MUSTER_TRY(net::HostPort address, configuration.address(key, kNameNodePort));
    service.name_nodes.push_back({.id = {}, .address = std::move(address)});
    return service;
  }
  for (const std::string& id : ids) {
    const std::string key = fmt::format("dfs.namenode.rpc-address.{}.{}", name, id);
    if (!configuration.is_set(key)) {
      return configuration.wrong(
          key, fmt::format("{} names the NameNode {}: set its address", ids_key, id));
    }
    MUSTER_TRY(net::HostPort address, configuration.address(key, kNameNodePort));
    service.name_nodes.push_back({.id = id, .address = std::move(address)});
  }
  return service;
}

struct Uri {
  std::string_view scheme;
  std::string_view authority;
  std::string_view path;
};

/// Splits "scheme://authority/path" or "scheme:/path"; nullopt if it has no scheme.
std::optional<Uri> split_uri(std::string_view text) {
  const size_t colon = text.find(':');
  const size_t slash = text.find('/');
  if (colon == std::string_view::npos || colon == 0 ||
      (slash != std::string_view::npos && slash < colon)) {
    return std::nullopt;
  }
  Uri uri{.scheme = text.substr(0, colon), .authority = {}, .path = text.substr(colon + 1)};
  if (uri.path.starts_with("//")) {
    const std::string_view rest = uri.path.substr(2);
    const size_t end = std::min(rest.find('/'), rest.size());
    uri.authority = rest.substr(0, end);
    uri.path = rest.substr(end);
  }
  return uri;
}

}  // namespace

Result<NameService> name_service(const Configuration& configuration, std::string_view authority) {
  if (is_logical(configuration, authority)) {
    return logical_service(configuration, authority);
  }
  const std::string host(authority.substr(0, authority.find(':')));
  if (host != authority && is_logical(configuration, host)) {
    return user_error(fmt::format("hdfs://{} has a port, but {} is a name service: remove the port",
                                  printable(authority), printable(host)));
  }
  const std::optional<net::HostPort> address = parse_address(authority, kNameNodePort);
  if (!address) {
    MUSTER_TRY(const std::vector<std::string> known, configuration.list("dfs.nameservices"));
    return user_error(fmt::format(
        "hdfs://{} names no NameNode: write hdfs://HOST:PORT{}", printable(authority),
        known.empty() ? std::string() : " or one of the name services " + join(known, ", ")));
  }
  return NameService{.name = net::to_string(*address),
                     .logical = false,
                     .name_nodes = {{.id = {}, .address = *address}}};
}

Result<NameService> default_name_service(const Configuration& configuration) {
  MUSTER_TRY(const std::string text, configuration.text(kDefaultFs));
  const std::optional<Uri> uri = split_uri(text);
  if (!uri) {
    // The oldest form, "host:port" or "host", which Hadoop still reads.
    return name_service(configuration, text);
  }
  if (uri->scheme != kScheme) {
    // "host:port" looks like a scheme, too.
    if (text.find('/') == std::string::npos && parse_address(text, kNameNodePort)) {
      return name_service(configuration, text);
    }
    return configuration.wrong(
        kDefaultFs,
        fmt::format(
            "Muster needs an HDFS here, hdfs://HOST:PORT or hdfs://NAMESERVICE{}",
            configuration.is_set(kDefaultFs) ? "" : " (is HADOOP_CONF_DIR the right folder?)"));
  }
  if (uri->authority.empty()) {
    return configuration.wrong(kDefaultFs, "the NameNode is missing after hdfs://");
  }
  return name_service(configuration, uri->authority);
}

Result<HdfsPath> hdfs_path(const Configuration& configuration, std::string_view text) {
  const std::optional<Uri> uri = split_uri(text);
  if (uri && uri->scheme != kScheme) {
    return user_error(fmt::format("{}: only HDFS (hdfs://...) can be read here, not {}:",
                                  printable(text), printable(uri->scheme)),
                      Errc::Unsupported);
  }
  HdfsPath out;
  if (uri && !uri->authority.empty()) {
    MUSTER_TRY(out.service, name_service(configuration, uri->authority));
    out.path = uri->path.empty() ? "/" : std::string(uri->path);
    return out;
  }
  MUSTER_TRY(out.service, default_name_service(configuration));
  out.path = std::string(uri ? uri->path : text);
  return out;
}

}  // namespace muster::hadoop
