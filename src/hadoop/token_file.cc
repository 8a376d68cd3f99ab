#include "hadoop/token_file.h"

#include <fmt/format.h>

namespace muster::hadoop {
namespace {

using Path = std::filesystem::path;

constexpr uint64_t kTokenFileBytesMax = 16U << 20;

}  // namespace

Result<Credentials> read_token_file(os::Files& files, const Path& path) {
  Result<std::string> bytes = files.read(path, kTokenFileBytesMax);
  if (!bytes) {
    return bytes.error().within("cannot read the Hadoop token file");
  }
  Result<Credentials> credentials = decode_credentials(*bytes);
  if (!credentials) {
    return credentials.error().within(fmt::format("the Hadoop token file {}", path.string()));
  }
  return credentials;
}

Status write_token_file(os::Files& files, const Path& path, const Credentials& credentials,
                        CredentialsFormat format) {
  return files.write(path, encode_credentials(credentials, format),
                     {.mode = 0600, .durable = false});
}

Result<std::vector<Path>> token_files(const Configuration& configuration) {
  std::vector<Path> out;
  MUSTER_TRY(const std::vector<std::string> listed, configuration.list("hadoop.token.files"));
  for (const std::string& name : listed) {
    out.emplace_back(name.starts_with("file:") ? name.substr(5) : name);
  }
  const auto& environment = configuration.surroundings().environment;
  const auto found = environment.find("HADOOP_TOKEN_FILE_LOCATION");
  if (found != environment.end() && !found->second.empty()) {
    out.emplace_back(found->second);
  }
  return out;
}

Result<Credentials> load_credentials(os::Files& files, const Configuration& configuration) {
  MUSTER_TRY(const std::vector<Path> paths, token_files(configuration));
  Credentials out;
  for (const Path& path : paths) {
    MUSTER_TRY(const Credentials some, read_token_file(files, path));
    out.add_all(some);
  }
  return out;
}

}  // namespace muster::hadoop
