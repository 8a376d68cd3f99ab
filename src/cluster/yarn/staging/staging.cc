#include "cluster/yarn/staging/staging.h"

#include "cluster/yarn/staging/content_hash.h"
#include "cluster/yarn/staging/stored_name.h"
#include "hadoop/hdfs/names/path.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <memory>
#include <utility>

namespace muster::cluster::yarn {
namespace {

namespace hdfs = hadoop::hdfs;

constexpr size_t kPieceBytes = 1U << 20;
constexpr uint32_t kStagedFolderMode = 0700;
constexpr uint32_t kStagedFileMode = 0600;

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }  // NOLINT(cert-err33-c): read only
};
using OpenedFile = std::unique_ptr<std::FILE, CloseFile>;

Result<OpenedFile> open_file(const std::filesystem::path& path) {
  OpenedFile file(std::fopen(path.c_str(), "rbe"));
  if (file == nullptr) {
    return system_error(errno, "cannot read " + path.string());
  }
  return file;
}

// Returns the next piece of a file; empty at its end.
Result<std::string_view> read_piece(std::FILE* file, std::string& buffer,
                                    const std::filesystem::path& path) {
  const size_t got = std::fread(buffer.data(), 1, buffer.size(), file);
  if (got == 0 && std::ferror(file) != 0) {
    return system_error(errno, "cannot read " + path.string());
  }
  return std::string_view(buffer).substr(0, got);
}

std::string random_name(rt::Random& random) {
  std::array<uint8_t, 8> bytes{};
  random.fill(bytes);
  std::string name;
  for (const uint8_t byte : bytes) {
    name += fmt::format("{:02x}", byte);
  }
  return name;
}

// Returns "hdfs://nn:8020" with a path in YARN's terms; a name service has no port.
Result<hadoop::yarn::Location> location_of(std::string_view file_system, std::string path) {
  const size_t begin = file_system.find("://");
  hadoop::yarn::Location location{.scheme = "hdfs",
                                  .host = std::string(file_system.substr(begin + 3)),
                                  .path = std::move(path)};
  if (location.host.find(':') != std::string::npos) {
    MUSTER_TRY(net::HostPort server, net::parse_host_port(location.host));
    location.host = std::move(server.host);
    location.port = server.port;
  }
  return location;
}

}  // namespace

Result<std::string> content_name(const std::filesystem::path& file) {
  MUSTER_TRY(const OpenedFile opened, open_file(file));
  ContentHash hash;
  std::string buffer(kPieceBytes, '\0');
  while (true) {
    MUSTER_TRY(const std::string_view piece, read_piece(opened.get(), buffer, file));
    if (piece.empty()) {
      return hash.hex();
    }
    hash.add(piece);
  }
}

std::string scratch_path(const std::string& root, rt::Random& random) {
  return root + "/scratch." + random_name(random);
}

std::string folder_of_day(const std::string& root, WallTime moment) {
  const std::string iso = format_iso(moment);  // 2026-11-21T...
  return fmt::format("{}/jobs/{}/{}/{}", root, iso.substr(0, 4), iso.substr(5, 2),
                     iso.substr(8, 2));
}

std::string Staging::job_folder(const std::string& job_id, WallTime submitted) const {
  return folder_of_day(root_, submitted) + "/" + job_id;
}

std::string Staging::root_of(const std::string& job_folder) {
  return job_folder.substr(0, job_folder.rfind("/jobs/"));
}

rt::Async<Status> Staging::prepare(std::string job_folder) {
  for (const std::string& folder : {root_ + "/store", events_folder(job_folder)}) {
    auto made = co_await session_.files().make_folder(folder, true, kStagedFolderMode);
    MUSTER_CO_TRY_STATUS(std::move(made));
  }
  auto asked = co_await session_.files().stat(events_folder(job_folder));
  MUSTER_CO_TRY(const hdfs::FileStatus status, std::move(asked));
  prepared_ms_ = status.modified_ms;
  co_return Status();
}

rt::Async<Result<StagedFile>> Staging::store(std::filesystem::path file, std::string link,
                                             std::set<std::string>* taken) {
  MUSTER_CO_TRY(const std::string name, content_name(file));
  const std::string ending(archive_ending(file.filename().string()));
  std::string path;
  for (int copy = 1; path.empty() || !taken->insert(path).second; ++copy) {
    path = fmt::format("{}/store/{}{}", root_, stored_name(name, copy), ending);
  }
  auto there = co_await session_.files().exists(path);
  MUSTER_CO_TRY(const bool exists, std::move(there));
  if (exists) {
    // Not the modification time: containers compare it. HDFS's time, since a cleaner compares
    // against that. A cluster that keeps no access times refuses: its files' last use is their
    // upload.
    (void)co_await session_.files().name_node().set_times(path, -1, prepared_ms_);
  } else {
    auto uploaded = co_await upload(std::move(file), path, name);
    MUSTER_CO_TRY_STATUS(std::move(uploaded));
  }
  auto staged = co_await found(&session_.files(), path, std::move(link));
  co_return staged;
}

rt::Async<Result<bool>> Staging::is_there(StagedFile staged) {
  auto asked = co_await session_.files().stat(staged.file.from.path);
  if (!asked.has_value() && asked.error().code == Errc::NotFound) {
    co_return false;
  }
  MUSTER_CO_TRY(const hdfs::FileStatus status, std::move(asked));
  co_return status.modified_ms == staged.file.modified_ms;
}

rt::Async<Status> Staging::upload(std::filesystem::path file, std::string path,
                                  std::string content_name) {
  MUSTER_CO_TRY(const OpenedFile opened, open_file(file));
  const std::string unfinished = fmt::format("{}.{}", path, random_name(session_.random()));
  hdfs::WriteFileOptions options;
  options.permission = kStagedFileMode;
  auto created = co_await session_.files().create(unfinished, options);
  MUSTER_CO_TRY(const std::unique_ptr<hdfs::FileWriter> writer, std::move(created));
  ContentHash hash;
  std::string buffer(kPieceBytes, '\0');
  while (true) {
    MUSTER_CO_TRY(const std::string_view piece, read_piece(opened.get(), buffer, file));
    if (piece.empty()) {
      break;
    }
    hash.add(piece);
    auto written = co_await writer->write(piece);
    MUSTER_CO_TRY_STATUS(std::move(written));
  }
  auto closed = co_await writer->close();
  MUSTER_CO_TRY_STATUS(std::move(closed));
  if (hash.hex() != content_name) {
    (void)co_await session_.files().remove(unfinished, false);
    co_return user_error(fmt::format("{} changed while it was being uploaded", file.string()));
  }
  hdfs::Rename rename{.from = unfinished, .to = path};
  auto renamed = co_await session_.files().rename(std::move(rename));
  if (!renamed.has_value() && renamed.error().code == Errc::AlreadyExists) {
    // Another job was faster: the content is the same.
    (void)co_await session_.files().remove(unfinished, false);
    co_return Status();
  }
  co_return renamed;
}

rt::Async<Result<StagedFile>> Staging::write(std::string path, std::string bytes,
                                             std::string link) {
  hdfs::WriteFileOptions options;
  options.overwrite = true;
  options.permission = kStagedFileMode;
  auto written = co_await session_.files().write_whole(path, std::move(bytes), options);
  MUSTER_CO_TRY_STATUS(std::move(written));
  auto staged = co_await found(&session_.files(), std::move(path), std::move(link));
  co_return staged;
}

rt::Async<Result<StagedFile>> Staging::find_remote(std::string address, std::string link) {
  MUSTER_CO_TRY(hdfs::Location place, hdfs::parse_location(address, session_.files().home()));
  MUSTER_CO_TRY(const std::unique_ptr<hdfs::FileSystem> files,
                session_.open_files(place.authority));
  auto staged = co_await found(files.get(), std::move(place.path), std::move(link));
  co_return staged;
}

rt::Async<Result<StagedFile>> Staging::found(hdfs::FileSystem* files, std::string path,
                                             std::string link) {
  auto asked = co_await files->stat(path);
  MUSTER_CO_TRY(const hdfs::FileStatus status, std::move(asked));
  if (status.type == hdfs::FileType::Folder) {
    co_return user_error(fmt::format(
        "{} is a folder, but the cluster distributes only files: name a file or an archive", path));
  }
  StagedFile staged{.link = std::move(link), .file = {}};
  MUSTER_CO_TRY(staged.file.from, location_of(files->name(), std::move(path)));
  staged.file.size = static_cast<int64_t>(status.size_bytes);
  staged.file.modified_ms = status.modified_ms;
  co_return staged;
}

rt::Async<Status> Staging::remove_job(std::string job_folder) {
  auto removed = co_await session_.files().remove(std::move(job_folder), true);
  if (!removed.has_value()) {
    co_return removed.error();
  }
  co_return Status();
}

}  // namespace muster::cluster::yarn
