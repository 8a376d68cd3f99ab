// usage: hdfs_probe PATH
//
// Writes a file of HDFS as a test tells it to, one command per line on standard input, and answers
// each with a line: `write BYTES`, `flush`, `close`, `read` (how many bytes can be read now, and
// whether they are the right ones).

#include "hadoop/conf_load.h"
#include "hadoop/hdfs/file_system.h"
#include "hadoop/rpc/client.h"
#include "net/tcp_dialer.h"
#include "os/file/local_files.h"
#include "os/host/identity.h"
#include "rt/io_loop.h"
#include "rt/running.h"
#include "rt/system_random.h"
#include "rt/wait.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace muster::probe {
namespace {

namespace hdfs = hadoop::hdfs;

/// Returns the byte at a given place in every file that this program writes.
char byte_at(uint64_t place) { return static_cast<char>(place % 251); }

class Probe {
 public:
  Probe(rt::IoLoop& loop, hdfs::FileSystem& fs, std::string path)
      : loop_(&loop), fs_(&fs), path_(std::move(path)) {}

  /// Does what each line says, until there are no more lines.
  rt::Async<> serve() {
    while (true) {
      const std::string line = co_await rt::run_blocking(*loop_, [] {
        std::string text;
        return std::getline(std::cin, text) ? text : std::string();
      });
      if (line.empty()) {
        co_return;
      }
      const Result<std::string> answer = co_await answer_to(line);
      fmt::print("{}\n", answer.has_value() ? *answer : "error: " + answer.error().message);
      std::fflush(stdout);
    }
  }

 private:
  rt::Async<Result<std::string>> answer_to(std::string line) {
    if (line == "read") {
      co_return co_await read();
    }
    if (writer_ == nullptr) {
      MUSTER_CO_TRY(writer_, co_await fs_->create(path_, {.overwrite = true}));
    }
    if (line == "flush") {
      MUSTER_CO_TRY_STATUS(co_await writer_->flush());
      co_return fmt::format("flushed {}", writer_->size_bytes());
    }
    if (line == "close") {
      MUSTER_CO_TRY_STATUS(co_await writer_->close());
      co_return fmt::format("closed {}", writer_->size_bytes());
    }
    std::string bytes(std::strtoull(line.c_str() + line.find(' '), nullptr, 10), '\0');
    for (size_t i = 0; i < bytes.size(); ++i) {
      bytes[i] = byte_at(writer_->size_bytes() + i);
    }
    MUSTER_CO_TRY_STATUS(co_await writer_->write(bytes));
    co_return fmt::format("wrote {}", writer_->size_bytes());
  }

  rt::Async<Result<std::string>> read() {
    MUSTER_CO_TRY(const auto reader, co_await fs_->read(path_));
    uint64_t size = 0;
    while (true) {
      MUSTER_CO_TRY(const std::string_view piece, co_await reader->next());
      if (piece.empty()) {
        co_return fmt::format("read {}", size);
      }
      for (const char byte : piece) {
        if (byte != byte_at(size++)) {
          co_return cluster_error(fmt::format("byte {} is wrong", size - 1));
        }
      }
    }
  }

  rt::IoLoop* loop_;
  hdfs::FileSystem* fs_;
  std::string path_;
  std::unique_ptr<hdfs::FileWriter> writer_;
};

Status run(std::string path) {
  hadoop::ConfSource source;
  source.environment["HADOOP_CONF_DIR"] = std::getenv("HADOOP_CONF_DIR");
  const std::unique_ptr<os::Files> files = os::make_local_files(nullptr);
  const hadoop::ReadFile read = [&files](const os::Path& file) { return files->read(file); };
  MUSTER_TRY(const hadoop::Configuration configuration, hadoop::load_configuration(source, read));
  rt::IoLoop loop;
  rt::SystemRandom random;
  net::TcpDialer dialer(loop);
  log::NullSink log;
  hadoop::rpc::Client client({.loop = loop, .random = random, .dialer = dialer, .log = log}, {});
  const hdfs::FileSystem::Deps deps{.loop = loop,
                                    .random = random,
                                    .dialer = dialer,
                                    .log = log,
                                    .client = client,
                                    .on_wait = {}};
  hdfs::FileSystem::Login login;
  login.identity.user = os::user_name({});
  MUSTER_TRY(const std::unique_ptr<hdfs::FileSystem> fs,
             hdfs::FileSystem::open(deps, configuration, login));
  Probe probe(loop, *fs, std::move(path));
  const auto running = rt::start(loop, probe.serve(), [&loop] { loop.stop(); });
  loop.run();
  return {};
}

}  // namespace
}  // namespace muster::probe

int main(int count, char** words) {
  if (count != 2 || std::getenv("HADOOP_CONF_DIR") == nullptr) {
    fmt::print(stderr, "usage: HADOOP_CONF_DIR=FOLDER hdfs_probe PATH\n");
    return 2;
  }
  const muster::Status done = muster::probe::run(words[1]);
  if (!done.has_value()) {
    fmt::print(stderr, "hdfs_probe: {}\n", done.error().message);
  }
  return done.has_value() ? 0 : 1;
}
