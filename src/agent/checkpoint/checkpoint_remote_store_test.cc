#include "agent/checkpoint/checkpoint_remote_store.h"

#include "os/file/local_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>

namespace muster::agent {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

Error error_of(Errc code) { return Error{code, Blame::Cluster, "the remote says no"}; }

std::string content_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Files by path, in memory; a folder exists if anything lies below it.
struct Remote {
  std::map<std::string, std::string> files;
  bool away = false;
  std::optional<std::string> refuse_put;     ///< For paths that end like this.
  std::function<void()> before_rename = {};  ///< Called once.
};

class MemoryRemote final : public RemoteFiles {
 public:
  explicit MemoryRemote(Remote& remote) : remote_(remote) {}

  Result<std::vector<std::string>> list(const std::string& folder) override {
    std::vector<std::string> names;
    for (const auto& [path, bytes] : remote_.files) {
      if (path.starts_with(folder + "/")) {
        const std::string rest = path.substr(folder.size() + 1);
        const std::string name = rest.substr(0, rest.find('/'));
        if (names.empty() || names.back() != name) {
          names.push_back(name);
        }
      }
    }
    return names;
  }
  Result<std::string> read(const std::string& path, uint64_t) override {
    const auto found = remote_.files.find(path);
    return found == remote_.files.end() ? Result<std::string>(error_of(Errc::NotFound))
                                        : Result<std::string>(found->second);
  }
  Status write(const std::string& path, const std::string& bytes) override {
    remote_.files[path] = bytes;
    return {};
  }
  Result<CheckpointFile> put(const fs::path& from, const std::string& to) override {
    if (remote_.refuse_put && to.ends_with(*remote_.refuse_put)) {
      return error_of(Errc::OutOfSpace);
    }
    const std::string bytes = content_of(from);
    remote_.files[to] = bytes;
    return CheckpointFile{"", bytes.size(), add_to_crc(0, bytes)};
  }
  Result<CheckpointFile> get(const std::string& from, const fs::path& to) override {
    MUSTER_TRY(const std::string bytes, read(from, 0));
    std::ofstream(to) << bytes;
    return CheckpointFile{"", bytes.size(), add_to_crc(0, bytes)};
  }
  Status rename(const std::string& from, const std::string& to) override {
    if (const auto before = std::exchange(remote_.before_rename, nullptr)) {
      before();
    }
    if (!list(to)->empty()) {
      return error_of(Errc::AlreadyExists);
    }
    std::map<std::string, std::string> renamed;
    for (const auto& [path, bytes] : remote_.files) {
      const bool moves = path.starts_with(from + "/");
      renamed[moves ? to + path.substr(from.size()) : path] = bytes;
    }
    remote_.files = std::move(renamed);
    return {};
  }
  Status remove(const std::string& path) override {
    std::erase_if(remote_.files, [&](const auto& file) {
      return file.first == path || file.first.starts_with(path + "/");
    });
    return {};
  }

 private:
  Remote& remote_;
};

class RemoteStore : public ::testing::Test {
 protected:
  RemoteStore() : root_(make_root()) {}
  ~RemoteStore() override { fs::remove_all(root_); }

  static fs::path make_root() {
    char name[] = "/tmp/checkpoint-remote-XXXXXX";
    return ::mkdtemp(name);
  }
  CheckpointRemoteStore::Connect connect() {
    return [this]() -> Result<std::unique_ptr<RemoteFiles>> {
      if (remote_.away) {
        return error_of(Errc::Unavailable);
      }
      return std::make_unique<MemoryRemote>(remote_);
    };
  }
  void write(const std::string& path, const std::string& text) const {
    const fs::path file = root_ / "ckpt" / path;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  Result<CheckpointStore::Staged> stage(const std::vector<std::string>& paths,
                                        uint32_t generation = 1) {
    return store_.stage(root_ / "ckpt", paths,
                        {.job = job::JobId("digits-1"),
                         .generation = job::Generation(generation),
                         .name = "n",
                         .marker = "m",
                         .files = {}});
  }

  fs::path root_;
  Remote remote_;
  std::unique_ptr<os::Files> files_ = os::make_local_files(nullptr);
  CheckpointRemoteStore store_{*files_, connect(), "/to", "c1"};
};

TEST_F(RemoteStore, BringsBackWhatWasCommitted) {
  write("a", "1");
  write("sub/b", std::string(3000, 'x'));
  EXPECT_EQ(store_.commit(stage({"a", "sub/b"}).value()).value(), 1U);
  EXPECT_THAT(store_.list().value(), ElementsAre(1));
  const auto manifest = store_.fetch(1, root_ / "restored");
  ASSERT_TRUE(manifest.has_value()) << manifest.error().message;
  EXPECT_EQ(content_of(root_ / "restored/a"), "1");
  EXPECT_EQ(content_of(root_ / "restored/sub/b").size(), 3000U);
}

TEST_F(RemoteStore, ShowsNothingBeforeTheCommit) {
  write("a", "1");
  const auto staged = stage({"a"}).value();
  EXPECT_THAT(store_.list().value(), IsEmpty());
  store_.discard(staged);
  EXPECT_THAT(remote_.files, IsEmpty());
}

TEST_F(RemoteStore, LeavesNothingOfACopyThatBreaksOff) {
  write("a", "1");
  write("b", "2");
  remote_.refuse_put = "/b";
  EXPECT_EQ(stage({"a", "b"}).error().code, Errc::OutOfSpace);
  EXPECT_THAT(remote_.files, IsEmpty());
}

TEST_F(RemoteStore, TakesTheNextNumberWhenAnotherIsQuicker) {
  write("a", "1");
  const auto staged = stage({"a"}).value();
  remote_.before_rename = [this] { remote_.files["/to/ckpt-00000001/x"] = ""; };
  EXPECT_EQ(store_.commit(staged).value(), 2U);
}

TEST_F(RemoteStore, RefusesAnOlderGenerationEvenWhenItOvertakesTheCommit) {
  write("a", "1");
  const auto late = stage({"a"}, 3).value();
  CheckpointRemoteStore other(*files_, connect(), "/to", "c2");
  remote_.before_rename = [&] {
    const auto newer = other.stage(root_ / "ckpt", {"a"},
                                   {.job = job::JobId("digits-1"),
                                    .generation = job::Generation(4),
                                    .name = "n",
                                    .marker = "m",
                                    .files = {}});
    EXPECT_EQ(other.commit(newer.value()).value(), 1U);
  };
  const auto refused = store_.commit(late);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().message, "generation 4 has committed a checkpoint since");
}

TEST_F(RemoteStore, KeepsTheNewestAndClearsItsOwnLeftovers) {
  write("a", "1");
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(store_.commit(stage({"a"}).value()).has_value());
  }
  remote_.files["/to/.incoming-c1-1/half"] = "";
  remote_.files["/to/.incoming-c2-1/half"] = "";
  ASSERT_TRUE(store_.prune(2).has_value());
  EXPECT_THAT(MemoryRemote(remote_).list("/to").value(),
              ElementsAre(".incoming-c2-1", "ckpt-00000003", "ckpt-00000004"));
}

TEST_F(RemoteStore, FindsDamageAndWhatIsMissing) {
  write("a", "1234");
  EXPECT_TRUE(store_.commit(stage({"a"}).value()).has_value());
  remote_.files["/to/ckpt-00000001/a"] = "12x4";
  EXPECT_EQ(store_.fetch(1, root_ / "r1").error().code, Errc::Corrupt);
  remote_.files.erase("/to/ckpt-00000001/a");
  EXPECT_EQ(store_.fetch(1, root_ / "r2").error().code, Errc::NotFound);
}

TEST_F(RemoteStore, SaysThatTheRemoteIsAway) {
  write("a", "1");
  remote_.away = true;
  EXPECT_EQ(store_.list().error().code, Errc::Unavailable);
  EXPECT_EQ(stage({"a"}).error().code, Errc::Unavailable);
}

}  // namespace
}  // namespace muster::agent
