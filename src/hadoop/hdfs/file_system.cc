#include "hadoop/hdfs/file_system.h"

#include "base/text.h"
#include "hadoop/hdfs/blocks/transfer_security.h"
#include "hadoop/hdfs/names/name_node_target.h"
#include "hadoop/hdfs/names/path.h"
#include "hadoop/hdfs_settings.h"
#include "hadoop/name_service.h"
#include "hadoop/rpc_settings.h"
#include "hadoop/security_settings.h"
#include "hadoop/server_principal.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace muster::hadoop::hdfs {
namespace {

constexpr std::string_view kDatanodeProtocol =
    "org.apache.hadoop.hdfs.protocol.ClientDatanodeProtocol";

DataNodes::MakeProxy data_node_proxies(rpc::Client& client, rpc::Target pattern,
                                       bool use_host_name) {
  pattern.what = "DataNode";
  pattern.protocol.name = kDatanodeProtocol;
  return [&client, pattern = std::move(pattern), use_host_name](const Datanode& node,
                                                                const Token& token) {
    rpc::Target target = pattern;
    target.servers.push_back({{.host = use_host_name ? node.host_name : node.ip,
                               .port = static_cast<uint16_t>(node.ipc_port)},
                              {}});
    if (!token.identifier.empty()) {
      target.find_token = [secret = rpc::TokenSecret{token.identifier, token.password.reveal()}](
                              const rpc::TokenQuery&) { return std::optional(secret); };
    }
    return client.proxy(std::move(target));
  };
}

/// Makes a name that tells this process's client from all others that hold leases.
std::string make_client_name(rt::Random& random) {
  std::array<uint8_t, 8> bytes{};
  random.fill(bytes);
  std::string name = "DFSClient_muster_";
  for (const uint8_t byte : bytes) {
    name += fmt::format("{:02x}", byte);
  }
  return name;
}

}  // namespace

FileSystem::FileSystem(Deps deps, FileSystemOptions options)
    : deps_(std::move(deps)), options_(std::move(options)) {}

FileSystem::~FileSystem() = default;

Result<std::unique_ptr<FileSystem>> FileSystem::open(Deps deps, const Configuration& configuration,
                                                     const Login& login) {
  MUSTER_TRY(FileSystemOptions options, file_system_options(configuration));
  MUSTER_TRY(const HdfsSettings settings, hdfs_settings(configuration));
  MUSTER_TRY(const SecuritySettings security, security_settings(configuration));
  MUSTER_TRY(const RpcSettings rpc_values, rpc_settings(configuration));
  Result<NameService> service = login.authority.empty()
                                    ? default_name_service(configuration)
                                    : name_service(configuration, login.authority);
  if (!service.has_value()) {
    return std::move(service).error();
  }
  MUSTER_TRY(rpc::Target target,
             name_node_target(configuration, security, *service, kClientProtocol, login));
  rpc::Target data_target = secured_target(security, login.identity);
  MUSTER_TRY(data_target.server_principal,
             server_principal(configuration, "dfs.datanode.kerberos.principal"));

  options.name_node.client_name = make_client_name(deps.random);
  options.name_node.on_wait = deps.on_wait;
  std::unique_ptr<FileSystem> made(new FileSystem(deps, std::move(options)));
  made->name_ = "hdfs://" + service->name;
  made->home_ = child_of(settings.home_prefix, login.identity.user);
  made->name_node_ = std::make_unique<hdfs::NameNode>(
      deps.loop,
      name_node_proxy(deps.client, std::move(target), rpc::connection_options(rpc_values),
                      settings),
      made->options_.name_node);
  made->security_ = make_transfer_security(
      {.loop = deps.loop, .random = deps.random, .name_node = *made->name_node_}, security);
  made->data_nodes_ = std::make_unique<DataNodes>(
      DataNodes::Deps{.loop = deps.loop,
                      .dialer = deps.dialer,
                      .security = *made->security_,
                      .make_proxy = data_node_proxies(deps.client, std::move(data_target),
                                                      settings.use_data_node_hostname)},
      made->options_.data_nodes);
  made->leases_ =
      std::make_unique<LeaseKeeper>(deps.loop, *made->name_node_, log::Logger(deps.log));
  return made;
}

rt::Async<Result<FileStatus>> FileSystem::stat(std::string path) {
  MUSTER_CO_TRY(std::optional<FileStatus> status, co_await name_node_->stat(path));
  if (!status.has_value()) {
    co_return user_error(fmt::format("{} does not exist", printable(path)), Errc::NotFound);
  }
  co_return *std::move(status);
}

rt::Async<Result<bool>> FileSystem::exists(std::string path) {
  MUSTER_CO_TRY(const std::optional<FileStatus> status, co_await name_node_->stat(std::move(path)));
  co_return status.has_value();
}

rt::Async<Result<std::vector<FileStatus>>> FileSystem::list(std::string path) {
  std::vector<FileStatus> entries;
  bool more = true;
  while (more) {
    MUSTER_CO_TRY(ListingPage page,
                  co_await name_node_->list_page(
                      path, entries.empty() ? std::string() : entries.back().name));
    if (page.entries.size() == 1 && page.entries.front().name.empty()) {
      co_return user_error(fmt::format("{} is a file, not a folder", printable(path)));
    }
    std::ranges::move(page.entries, std::back_inserter(entries));
    more = page.more;
  }
  co_return entries;
}

rt::Async<Status> FileSystem::make_folder(std::string path, bool parents, uint32_t permission) {
  co_return co_await name_node_->make_folder(std::move(path), permission & ~options_.umask,
                                             parents);
}

rt::Async<Status> FileSystem::rename(Rename rename) {
  co_return co_await name_node_->rename(std::move(rename));
}

rt::Async<Result<bool>> FileSystem::remove(std::string path, bool recursive) {
  co_return co_await name_node_->remove(std::move(path), recursive);
}

rt::Async<Result<std::unique_ptr<FileReader>>> FileSystem::read(std::string path, ByteRange range) {
  const FileDeps deps{.loop = deps_.loop, .name_node = *name_node_, .data_nodes = *data_nodes_};
  co_return co_await FileReader::open(deps, std::move(path), range, options_.reader);
}

rt::Async<Result<std::string>> FileSystem::read_whole(std::string path, ByteRange range,
                                                      uint64_t limit_bytes) {
  MUSTER_CO_TRY(const std::unique_ptr<FileReader> reader, co_await read(path, range));
  if (reader->remaining_bytes() > limit_bytes) {
    co_return user_error(fmt::format("{} has {}; at most {} can be read at once", printable(path),
                                     format_bytes(reader->remaining_bytes()),
                                     format_bytes(limit_bytes)));
  }
  std::string bytes;
  bytes.reserve(reader->remaining_bytes());
  while (true) {
    MUSTER_CO_TRY(const std::string_view part, co_await reader->next());
    if (part.empty()) {
      co_return bytes;
    }
    bytes += part;
  }
}

rt::Async<Result<std::unique_ptr<FileWriter>>> FileSystem::create(std::string path,
                                                                  WriteFileOptions options) {
  WriterOptions writer = options_.writer;
  writer.replication = options.replication.value_or(writer.replication);
  writer.block_bytes = options.block_bytes.value_or(writer.block_bytes);
  if (writer.block_bytes == 0 || writer.block_bytes % writer.checksum.chunk_bytes != 0) {
    co_return user_error(
        fmt::format("a block size of {} is not a multiple of the {} bytes of a "
                    "checksum (dfs.bytes-per-checksum)",
                    writer.block_bytes, writer.checksum.chunk_bytes));
  }
  CreateOptions make;
  make.permission = options.permission.value_or(0666) & ~options_.umask;
  make.overwrite = options.overwrite;
  make.parents = options.parents;
  make.replication = writer.replication;
  make.block_bytes = writer.block_bytes;
  MUSTER_CO_TRY(const FileStatus status, co_await name_node_->create(path, make));
  OpenFile file{.path = std::move(path), .file_id = status.file_id};
  if (status.encrypted || !status.erasure_coding.empty()) {
    // The file was created, but its blocks cannot be: leave nothing behind.
    const std::string where = status.encrypted ? "an encryption zone" : "an erasure-coded folder";
    static_cast<void>(co_await name_node_->remove(file.path, false));
    co_return user_error(
        fmt::format("{} is in {}, which Muster cannot write to; choose another folder",
                    printable(file.path), where),
        Errc::Unsupported);
  }
  const FileWriter::Deps deps{
      .file = {.loop = deps_.loop, .name_node = *name_node_, .data_nodes = *data_nodes_},
      .leases = *leases_,
      .log = log::Logger(deps_.log)};
  co_return std::make_unique<FileWriter>(deps, std::move(file), writer);
}

rt::Async<Status> FileSystem::write_whole(std::string path, std::string bytes,
                                          WriteFileOptions options) {
  if (!options.overwrite) {
    MUSTER_CO_TRY(const bool there, co_await exists(path));
    if (there) {
      co_return user_error(fmt::format("{} already exists", printable(path)), Errc::AlreadyExists);
    }
  }
  WriteFileOptions copying = options;
  copying.overwrite = true;
  const std::string temporary = copying_name(path);
  MUSTER_CO_TRY(const std::unique_ptr<FileWriter> writer, co_await create(temporary, copying));
  Status written = co_await writer->write(bytes);
  if (written.has_value()) {
    written = co_await writer->close();
  }
  if (written.has_value()) {
    Rename last{.from = temporary, .to = path, .overwrite = options.overwrite};
    written = co_await rename(std::move(last));
  }
  if (!written.has_value()) {
    static_cast<void>(co_await remove(temporary, false));
  }
  co_return written;
}

std::string copying_name(std::string_view path) { return std::string(path) + "._COPYING_"; }

}  // namespace muster::hadoop::hdfs
