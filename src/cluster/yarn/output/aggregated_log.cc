#include "cluster/yarn/output/aggregated_log.h"

#include "cluster/yarn/output/copy_budget.h"
#include "cluster/yarn/output/tfile.h"
#include "hadoop/hdfs/names/path.h"

#include <fmt/format.h>
#include <zlib.h>

#include <memory>
#include <utility>

namespace muster::cluster::yarn {
namespace {

namespace hdfs = hadoop::hdfs;

/// Far above the largest: some bytes for each container of a job on a node.
constexpr uint64_t kIndexBytesMax = 4U << 20;
constexpr size_t kInflatedPiece = 256U << 10;

/// Decompresses what one block holds, in pieces of any size.
class Inflater {
 public:
  Inflater() { ready_ = inflateInit(&stream_) == Z_OK; }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  template <class Take>
  Status feed(std::string_view bytes, const Take& take) {
    // zlib takes its input by a non-const pointer, but does not write there.
    stream_.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    std::string piece(kInflatedPiece, '\0');
    while (ready_ && !ended_) {
      stream_.next_out = reinterpret_cast<Bytef*>(piece.data());
      stream_.avail_out = static_cast<uInt>(piece.size());
      const int result = inflate(&stream_, Z_NO_FLUSH);
      if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) {
        return Error{Errc::Corrupt, Blame::Cluster, "the aggregated logs cannot be decompressed"};
      }
      ended_ = result == Z_STREAM_END;
      const size_t made = piece.size() - stream_.avail_out;
      MUSTER_TRY_STATUS(take(std::string_view(piece).substr(0, made)));
      if (made == 0 || (stream_.avail_in == 0 && stream_.avail_out > 0)) {
        break;
      }
    }
    return {};
  }

 private:
  z_stream stream_{};
  bool ready_ = false;
  bool ended_ = false;
};

rt::Async<Status> read_block(hdfs::FileSystem* files, std::string path, TfileBlock block,
                             TfileCompression compression, const ContainerLogSink* sink) {
  hdfs::ByteRange range{.offset = block.offset, .length = block.stored_bytes};
  auto opened = co_await files->read(path, range);
  MUSTER_CO_TRY(const std::unique_ptr<hdfs::FileReader> reader, std::move(opened));
  ContainerLogParser parser(*sink);
  Inflater inflater;
  const auto take = [&](std::string_view raw) -> Status {
    if (sink->cost) {
      MUSTER_TRY_STATUS(sink->cost(raw.size()));
    }
    return parser.feed(raw);
  };
  while (true) {
    auto next = co_await reader->next();
    MUSTER_CO_TRY(const std::string_view bytes, std::move(next));
    if (bytes.empty()) {
      break;
    }
    if (compression == TfileCompression::None) {
      MUSTER_CO_TRY_STATUS(take(bytes));
    } else {
      MUSTER_CO_TRY_STATUS(inflater.feed(bytes, take));
    }
  }
  if (!parser.is_between_records()) {
    co_return Error{Errc::Corrupt, Blame::Cluster, path + ": a block of logs is incomplete"};
  }
  co_return Status();
}

rt::Async<Result<TfileIndex>> read_index(hdfs::FileSystem* files, std::string path) {
  auto asked = co_await files->stat(path);
  MUSTER_CO_TRY(const hdfs::FileStatus status, std::move(asked));
  const uint64_t size = status.size_bytes;
  if (size < kTfileTailBytes) {
    co_return Error{Errc::Corrupt, Blame::Cluster, path + " is too short for aggregated logs"};
  }
  hdfs::ByteRange tail_range{.offset = size - kTfileTailBytes, .length = kTfileTailBytes};
  auto tail_read = co_await files->read_whole(path, tail_range, kTfileTailBytes);
  MUSTER_CO_TRY(const std::string tail, std::move(tail_read));
  MUSTER_CO_TRY(const uint64_t offset, tfile_parts_offset(tail, size));
  hdfs::ByteRange parts_range{.offset = offset, .length = size - kTfileTailBytes - offset};
  auto parts_read = co_await files->read_whole(path, parts_range, kIndexBytesMax);
  MUSTER_CO_TRY(const std::string parts, std::move(parts_read));
  MUSTER_CO_TRY(const TfileIndexPart part, find_tfile_index(parts));
  hdfs::ByteRange index_range{.offset = part.block.offset, .length = part.block.stored_bytes};
  auto stored_read = co_await files->read_whole(path, index_range, kIndexBytesMax);
  MUSTER_CO_TRY(std::string stored, std::move(stored_read));
  if (part.compression == TfileCompression::None) {
    co_return parse_tfile_index(stored);
  }
  std::string raw;
  Inflater inflater;
  MUSTER_CO_TRY_STATUS(inflater.feed(stored, [&](std::string_view piece) -> Status {
    if (piece.size() > kIndexBytesMax - raw.size()) {
      return Error{Errc::Corrupt, Blame::Cluster, "the index of the aggregated logs has no end"};
    }
    raw += piece;
    return {};
  }));
  co_return parse_tfile_index(raw);
}

}  // namespace

rt::Async<Status> read_aggregated_log(hdfs::FileSystem* files, std::string path,
                                      const ContainerLogSink* sink) {
  auto read = co_await read_index(files, path);
  if (!read.has_value()) {
    co_return read.error().within(path);
  }
  const TfileIndex index = *std::move(read);
  for (const TfileBlock& block : index.blocks) {
    if (sink->cost) {
      MUSTER_CO_TRY_STATUS(sink->cost(CopyBudget::kPieceMin));
    }
    auto done = co_await read_block(files, path, block, index.compression, sink);
    MUSTER_CO_TRY_STATUS(std::move(done));
  }
  co_return Status();
}

std::vector<std::string> aggregated_log_folders(const hadoop::Configuration& configuration,
                                                const std::string& user,
                                                const hadoop::yarn::ApplicationId& application) {
  const auto text = [&](const char* key, const std::string& fallback) {
    const Result<std::string> found = configuration.text(key);
    return found.has_value() && !found->empty() ? *found : fallback;
  };
  constexpr int32_t kBuckets = 10000;
  std::string root = text("yarn.nodemanager.remote-app-log-dir", "/tmp/logs");
  root = text("yarn.log-aggregation.TFile.remote-app-log-dir", root);
  if (const auto place = hdfs::parse_location(root, "/")) {
    root = place->path;
  }
  const std::string plain = text("yarn.nodemanager.remote-app-log-dir-suffix", "logs");
  const std::string suffix =
      text("yarn.log-aggregation.TFile.remote-app-log-dir-suffix", plain + "-tfile");
  const std::string id = to_string(application);
  return {fmt::format("{}/{}/bucket-{}/{:04}/{}", root, user, suffix, application.number % kBuckets,
                      id),
          fmt::format("{}/{}/{}/{}", root, user, suffix, id),
          fmt::format("{}/{}/{}/{}", root, user, plain, id)};
}

}  // namespace muster::cluster::yarn
