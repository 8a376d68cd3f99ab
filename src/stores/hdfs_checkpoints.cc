#include "stores/hdfs_checkpoints.h"

#include "agent/checkpoint/checkpoint_remote_store.h"
#include "cluster/yarn/session.h"
#include "cluster/yarn/site.h"
#include "hadoop/hdfs/blocks/transfer.h"
#include "hadoop/hdfs/names/path.h"
#include "rt/io_loop.h"
#include "rt/run_to_end.h"

#include <memory>
#include <utility>

namespace muster::stores {
namespace {

namespace hdfs = hadoop::hdfs;
namespace yarn = cluster::yarn;

constexpr uint64_t kPieceBytes = 1U << 20;

/// One connection, with a loop of its own that runs inside each call.
class HdfsFiles final : public agent::RemoteFiles {
 public:
  explicit HdfsFiles(os::Files& local) : local_(local) {}

  Status open(const yarn::Site& site, std::string authority) {
    MUSTER_TRY(session_, yarn::Session::open(loop_, quiet_, site,
                                             {.caller = "muster_checkpoint", .patient = false}));
    MUSTER_TRY(remote_, session_->open_files(std::move(authority)));
    return {};
  }

  Result<std::vector<std::string>> list(const std::string& folder) override {
    auto listed = wait(remote_->list(folder));
    std::vector<std::string> names;
    if (!listed.has_value() && listed.error().code != Errc::NotFound) {
      return std::move(listed).error();
    }
    if (listed.has_value()) {
      for (hdfs::FileStatus& entry : *listed) {
        names.push_back(std::move(entry.name));
      }
    }
    return names;
  }
  Result<std::string> read(const std::string& path, uint64_t limit_bytes) override {
    return wait(remote_->read_whole(path, {}, limit_bytes));
  }
  Status write(const std::string& path, const std::string& bytes) override {
    return wait(remote_->write_whole(path, bytes, {}));
  }
  Result<agent::CheckpointFile> put(const std::filesystem::path& from,
                                    const std::string& to) override {
    return wait(put_now(from, to));
  }
  Result<agent::CheckpointFile> get(const std::string& from,
                                    const std::filesystem::path& to) override {
    return wait(get_now(from, to));
  }
  Status rename(const std::string& from, const std::string& to) override {
    return wait(remote_->rename({.from = from, .to = to}));
  }
  Status remove(const std::string& path) override {
    auto removed = wait(remote_->remove(path, true));
    return removed.has_value() ? Status() : Status(std::move(removed).error());
  }

 private:
  template <class T>
  T wait(rt::Async<T> work) {
    return rt::run_to_end(loop_, std::move(work));
  }

  rt::Async<Result<agent::CheckpointFile>> put_now(std::filesystem::path from, std::string to) {
    agent::CheckpointFile file;
    auto created = co_await remote_->create(std::move(to), {});
    MUSTER_CO_TRY(const std::unique_ptr<hdfs::FileWriter> writer, std::move(created));
    while (true) {
      MUSTER_CO_TRY(const std::string piece, local_.read_part(from, file.size_bytes, kPieceBytes));
      if (piece.empty()) {
        break;
      }
      file.crc = agent::add_to_crc(file.crc, piece);
      file.size_bytes += piece.size();
      auto written = co_await writer->write(piece);
      MUSTER_CO_TRY_STATUS(std::move(written));
    }
    auto closed = co_await writer->close();
    MUSTER_CO_TRY_STATUS(std::move(closed));
    co_return file;
  }

  rt::Async<Result<agent::CheckpointFile>> get_now(std::string from, std::filesystem::path to) {
    agent::CheckpointFile file;
    MUSTER_CO_TRY(const std::unique_ptr<os::AppendFile> target, local_.open_append(to));
    auto opened = co_await remote_->read(std::move(from));
    MUSTER_CO_TRY(const std::unique_ptr<hdfs::FileReader> reader, std::move(opened));
    while (true) {
      auto next = co_await reader->next();
      MUSTER_CO_TRY(const std::string_view piece, std::move(next));
      if (piece.empty()) {
        co_return file;
      }
      file.crc = agent::add_to_crc(file.crc, piece);
      file.size_bytes += piece.size();
      MUSTER_CO_TRY_STATUS(target->append(piece));
    }
  }

  os::Files& local_;
  log::NullSink quiet_;
  rt::IoLoop loop_;
  std::unique_ptr<yarn::Session> session_;
  std::unique_ptr<hdfs::FileSystem> remote_;  // After the session, whose connections it uses.
};

}  // namespace

agent::OpenCheckpointStore hdfs_checkpoints(os::Files& files,
                                            std::map<std::string, std::string> environment) {
  return [&files, environment = std::move(environment)](
             const std::string& address,
             const std::string& writer) -> Result<std::shared_ptr<agent::CheckpointStore>> {
    MUSTER_TRY(hdfs::Location place, hdfs::parse_location(address, "/"));
    MUSTER_TRY(
        yarn::Site found,
        yarn::load_agent_site(
            files, {.conf = {}, .environment = environment, .now = rt::IoLoop().wall_now()}, {}));
    const auto site = std::make_shared<const yarn::Site>(std::move(found));
    const std::string authority = place.authority;
    auto connect = [&files, site, authority]() -> Result<std::unique_ptr<agent::RemoteFiles>> {
      auto remote = std::make_unique<HdfsFiles>(files);
      MUSTER_TRY_STATUS(remote->open(*site, authority));
      return remote;
    };
    return std::make_shared<agent::CheckpointRemoteStore>(files, std::move(connect),
                                                          std::move(place.path), writer);
  };
}

Status check_hdfs_checkpoints(os::Files& files, std::map<std::string, std::string> environment,
                              const std::string& address) {
  const auto look = [&]() -> Status {
    MUSTER_TRY(hdfs::Location place, hdfs::parse_location(address, "/"));
    MUSTER_TRY(const yarn::Site site, yarn::load_site(files, {.conf = {},
                                                              .environment = std::move(environment),
                                                              .now = rt::IoLoop().wall_now()}));
    return HdfsFiles(files).open(site, std::move(place.authority));
  };
  Status found = look();
  return found ? found : Status(found.error().within("checkpoint.to: " + address));
}

}  // namespace muster::stores
