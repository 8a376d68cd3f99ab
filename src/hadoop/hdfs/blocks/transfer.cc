#include "hadoop/hdfs/blocks/transfer.h"

#include "base/text.h"
#include "hadoop/hdfs/ahead.h"
#include "rt/wait.h"

#include <fmt/format.h>

#include <utility>

namespace muster::hadoop::hdfs {
namespace {

/// One read or write of a local file: large enough that the hand-over between threads does not
/// matter.
constexpr size_t kPieceBytes = 1U << 20;

/// Reads a local file, one piece ahead.
class LocalReader {
 public:
  LocalReader(TransferDeps deps, const os::Path& path)
      : ahead_(deps.loop, read_piece(deps, path, 0)) {
    next_ = [deps, path](uint64_t offset) { return read_piece(deps, path, offset); };
  }

  /// Empty at the end.
  rt::Async<Result<std::string>> next() {
    Result<std::string> piece = co_await ahead_.take();
    if (piece.has_value() && !piece->empty()) {
      offset_ += piece->size();
      ahead_.begin(next_(offset_));
    }
    co_return piece;
  }

 private:
  static rt::Async<Result<std::string>> read_piece(TransferDeps deps, os::Path path,
                                                   uint64_t offset) {
    auto work = [files = &deps.files, path = std::move(path), offset] {
      return files->read_part(path, offset, kPieceBytes);
    };
    co_return co_await rt::run_blocking(deps.loop, std::move(work));
  }

  uint64_t offset_ = 0;
  std::function<rt::Async<Result<std::string>>(uint64_t)> next_;
  Ahead<Result<std::string>> ahead_;
};

/// Writes a local file, one piece behind.
class LocalWriter {
 public:
  LocalWriter(rt::Loop& loop, std::shared_ptr<os::AppendFile> file)
      : loop_(&loop), file_(std::move(file)), behind_(loop, done()) {}

  rt::Async<Status> add(std::string_view bytes) {
    if (buffer_.capacity() < kPieceBytes) {
      buffer_.reserve(kPieceBytes);
    }
    buffer_ += bytes;
    if (buffer_.size() < kPieceBytes) {
      co_return Status();
    }
    co_return co_await flush();
  }
  rt::Async<Status> finish() {
    MUSTER_CO_TRY_STATUS(co_await flush());
    co_return co_await behind_.take();
  }

 private:
  rt::Async<Status> flush() {
    MUSTER_CO_TRY_STATUS(co_await behind_.take());
    behind_.begin(append(loop_, file_, std::exchange(buffer_, {})));
    co_return Status();
  }
  static rt::Async<Status> done() { co_return Status(); }
  static rt::Async<Status> append(rt::Loop* loop, std::shared_ptr<os::AppendFile> file,
                                  std::string bytes) {
    auto work = [file = std::move(file), bytes = std::move(bytes)] { return file->append(bytes); };
    co_return co_await rt::run_blocking(*loop, std::move(work));
  }

  rt::Loop* loop_;
  std::shared_ptr<os::AppendFile> file_;
  std::string buffer_;
  Ahead<Status> behind_;
};

rt::Async<Status> copy_pieces(FileWriter* writer, Source source, Moved moved) {
  while (true) {
    MUSTER_CO_TRY(const std::string piece, co_await source());
    if (piece.empty()) {
      co_return co_await writer->close();
    }
    MUSTER_CO_TRY_STATUS(co_await writer->write(piece));
    if (moved) {
      moved(piece.size());
    }
  }
}

rt::Async<Status> download(TransferDeps deps, FileReader* reader, os::Path to, Moved moved) {
  using Opened = Result<std::shared_ptr<os::AppendFile>>;
  auto open = [files = &deps.files, to]() -> Opened {
    MUSTER_TRY(std::shared_ptr<os::AppendFile> opened, files->open_append(to));
    return opened;
  };
  MUSTER_CO_TRY(auto file, co_await rt::run_blocking(deps.loop, std::move(open)));
  LocalWriter writer(deps.loop, std::move(file));
  while (true) {
    MUSTER_CO_TRY(const std::string_view piece, co_await reader->next());
    if (piece.empty()) {
      co_return co_await writer.finish();
    }
    MUSTER_CO_TRY_STATUS(co_await writer.add(piece));
    if (moved) {
      moved(piece.size());
    }
  }
}

Error exists_already(std::string_view path) {
  return user_error(fmt::format("{} already exists; --force (-f) replaces it", printable(path)),
                    Errc::AlreadyExists);
}

/// Runs `work` (a call of os::Files) on the blocking pool.
template <class Work>
auto on_pool(rt::Loop& loop, Work work) {
  return rt::run_blocking(loop, std::move(work));
}

}  // namespace

rt::Async<Status> put_source(FileSystem* fs, Source source, std::string to, PutOptions options) {
  if (!options.overwrite) {
    MUSTER_CO_TRY(const bool there, co_await fs->exists(to));
    if (there) {
      co_return exists_already(to);
    }
  }
  const std::string temporary = copying_name(to);
  WriteFileOptions write = options.write;
  write.overwrite = true;
  MUSTER_CO_TRY(const std::unique_ptr<FileWriter> writer, co_await fs->create(temporary, write));
  Status copied = co_await copy_pieces(writer.get(), std::move(source), std::move(options.moved));
  if (copied.has_value()) {
    Rename last{.from = temporary, .to = to, .overwrite = options.overwrite};
    copied = co_await fs->rename(std::move(last));
  }
  if (!copied.has_value()) {
    static_cast<void>(co_await fs->remove(temporary, false));
  }
  co_return copied;
}

rt::Async<Status> put_file(TransferDeps deps, os::Path from, std::string to, PutOptions options) {
  LocalReader reader(deps, from);
  co_return co_await put_source(
      &deps.fs, [&reader] { return reader.next(); }, std::move(to), std::move(options));
}

rt::Async<Status> get_file(TransferDeps deps, std::string from, os::Path to, GetOptions options) {
  os::Files* files = &deps.files;
  if (!options.overwrite) {
    auto look = [files, to] { return files->exists(to); };
    if (co_await on_pool(deps.loop, std::move(look))) {
      co_return exists_already(to.string());
    }
  }
  MUSTER_CO_TRY(const std::unique_ptr<FileReader> reader, co_await deps.fs.read(from));
  const os::Path temporary(to.string() + "._COPYING_");
  auto clear = [files, temporary] { return files->remove(temporary); };
  MUSTER_CO_TRY_STATUS(co_await on_pool(deps.loop, clear));
  Status copied = co_await download(deps, reader.get(), temporary, std::move(options.moved));
  if (copied.has_value()) {
    auto rename = [files, temporary, to] { return files->rename(temporary, to); };
    copied = co_await on_pool(deps.loop, std::move(rename));
  }
  if (!copied.has_value()) {
    static_cast<void>(co_await on_pool(deps.loop, clear));
  }
  co_return copied;
}

rt::Async<Status> read_to(FileSystem* fs, std::string from, ByteRange range, Sink sink) {
  MUSTER_CO_TRY(const std::unique_ptr<FileReader> reader,
                co_await fs->read(std::move(from), range));
  while (true) {
    MUSTER_CO_TRY(const std::string_view piece, co_await reader->next());
    if (piece.empty()) {
      co_return Status();
    }
    MUSTER_CO_TRY_STATUS(co_await sink(piece));
  }
}

}  // namespace muster::hadoop::hdfs
