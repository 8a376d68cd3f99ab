#include "os/file/file_sink.h"
#include "os/file/local_files.h"
#include "os/file/watch.h"
#include "os/host/cgroup.h"
#include "os/host/hardware.h"
#include "os/host/host_names.h"
#include "os/host/identity.h"
#include "os/host/memory.h"
#include "os/host/proc_text.h"
#include "os/process/spawn.h"
#include "rt/io_loop.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <memory>
#include <string>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

namespace muster::os {
namespace {

using namespace std::chrono_literals;

TEST(Identity, PrefersTheEnvironmentAndNeverFails) {
  EXPECT_EQ(user_name({{"HADOOP_USER_NAME", "alice"}, {"USER", "bob"}}), "alice");
  EXPECT_EQ(user_name({{"HADOOP_USER_NAME", ""}, {"USER", "bob"}}), "bob");
  EXPECT_FALSE(user_name({}).empty());
  EXPECT_FALSE(host_name().empty());
}

TEST(HostNames, AreThoseThatPeopleUse) {
  const NameFiles files{.hosts =
                            "127.0.0.1\tlocalhost\n127.0.1.1 Node7.example.org node7 web # x\n"
                            "10.0.0.9 other other.example.org\n",
                        .resolv_conf = "nameserver 10.0.0.1\nsearch corp.example lab.example\n"};
  EXPECT_EQ(host_names("node7", files),
            (std::vector<std::string>{"node7", "node7.corp.example", "node7.lab.example",
                                      "node7.example.org", "web"}));
  EXPECT_EQ(host_names("N7.example.org", {.hosts = "", .resolv_conf = ""}),
            (std::vector<std::string>{"n7.example.org", "n7"}));
  EXPECT_FALSE(host_names().empty());
}

TEST(Identity, UserInNoPasswordFileIsANumber) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "only root can become somebody else";
  }
  const pid_t child = ::fork();
  if (child == 0) {
    ::_exit(::setuid(54321) == 0 && user_name({}) == "54321" ? 0 : 1);
  }
  EXPECT_EQ(reap(Pid(child))->code, 0);
}

TEST(Meter, CountsSharedMemoryOnce) {
#if __has_feature(thread_sanitizer)
  GTEST_SKIP() << "the sanitizer's own memory grows with every page that is touched";
#endif
  constexpr size_t kSize = 64U << 20;
  const auto meter = make_meter();
  const uint64_t before = meter->measure(std::array{Pid(::getpid())}).memory_bytes;
  void* shared = ::mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(shared, MAP_FAILED);
  std::fill_n(static_cast<char*>(shared), kSize, 'x');
  std::array<int, 2> gate{};
  ASSERT_EQ(::pipe(gate.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const char seen = static_cast<char*>(shared)[0];
    for (size_t at = 0; at < kSize; at += 4096) {
      static_cast<volatile char*>(shared)[at] = seen;
    }
    ::close(gate[0]);
    (void)!::write(gate[1], "x", 1);
    ::pause();
  }
  char byte = 0;
  ASSERT_EQ(::read(gate[0], &byte, 1), 1);
  const std::array both{Pid(::getpid()), Pid(child)};
  const Usage usage = meter->measure(both);
  EXPECT_TRUE(usage.exact);
  EXPECT_GT(usage.memory_bytes, before + kSize / 2);
  EXPECT_LT(usage.memory_bytes, before + kSize * 3 / 2);
  EXPECT_GT(usage.cpu, 0us);
  const Footprint print = meter->glance(both);
  EXPECT_GT(print.most_bytes, before + kSize * 3 / 2) << "shared memory counts for each";
  EXPECT_LT(print.least_bytes, usage.memory_bytes) << "and not among what one has for itself";
  EXPECT_GT(print.cpu, 0us);
  EXPECT_GT(meter->time_spent(), 0us);
  ::kill(child, SIGKILL);
  (void)reap(Pid(child));
  EXPECT_EQ(meter->measure(std::array{Pid(child)}), Usage());
  EXPECT_EQ(meter->glance(std::array{Pid(child)}), Footprint());
  ::munmap(shared, kSize);
  ::close(gate[0]);
  ::close(gate[1]);
}

TEST(Meter, SeesWhoCannotBeDisturbed) {
  std::array<int, 2> gate{};
  ASSERT_EQ(::pipe(gate.data()), 0);
  const Pid child(::fork());
  if (child.value == 0) {
    ::close(gate[1]);
    // NOLINTNEXTLINE(clang-analyzer-security.insecureAPI.vfork) it holds its caller as a disk does
    if (::vfork() == 0) {
      char byte = 0;
      (void)!::read(gate[0], &byte, 1);
      ::_exit(0);
    }
    ::_exit(0);
  }
  const std::unique_ptr<Meter> meter = make_meter();
  while (!meter->glance(std::array{child}).main_in_disk) {
    std::this_thread::yield();
  }
  EXPECT_FALSE(meter->glance(std::array{Pid(::getpid())}).main_in_disk);
  ::close(gate[1]);
  (void)reap(child);
  EXPECT_FALSE(meter->glance(std::array{child}).main_in_disk);
  ::close(gate[0]);
}

TEST(Meter, ParsesTheKernelsText) {
  EXPECT_EQ(parse_pss_bytes("00400000-7ffd [rollup]\nRss:  10 kB\nPss:   7 kB\nPss_Anon: 3 kB\n"),
            7U << 10);
  EXPECT_FALSE(parse_pss_bytes("").has_value());
  EXPECT_FALSE(parse_pss_bytes("Pss: lots").has_value());
}

TEST(Hardware, SeesThisMachine) {
  const Hardware hardware = discover_hardware();
  EXPECT_GE(hardware.cores, 1U);
  EXPECT_GT(hardware.memory_bytes, 64U << 20);
  EXPECT_GT(available_memory_bytes(), 0U);
  EXPECT_LE(available_memory_bytes(), hardware.memory_bytes);
}

TEST(Hardware, ParsesNvidiaSmi) {
  const auto gpus = parse_nvidia_smi(
      "1, GPU-bb, NVIDIA A100-SXM4-40GB, 40960\n0, GPU-aa, NVIDIA GB10, [N/A]\n\n");
  const std::vector<Gpu> expected{
      {.index = 0, .uuid = "GPU-aa", .model = "NVIDIA GB10", .memory_bytes = 0},
      {.index = 1,
       .uuid = "GPU-bb",
       .model = "NVIDIA A100-SXM4-40GB",
       .memory_bytes = uint64_t{40960} << 20}};
  EXPECT_EQ(gpus, expected);
  EXPECT_EQ(parse_nvidia_smi(""), std::vector<Gpu>());
  EXPECT_FALSE(parse_nvidia_smi("NVIDIA-SMI has failed because ...").has_value());
}

TEST(Hardware, ParsesTheDriversInformation) {
  const auto gpu = parse_nvidia_information(
      "Model: \t\t NVIDIA H100 80GB HBM3\nIRQ:   \t\t 97\nGPU UUID: \t GPU-12ab\n"
      "Bus Location: \t 0000:19:00.0\n");
  ASSERT_TRUE(gpu.has_value());
  EXPECT_EQ(gpu->model, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(gpu->uuid, "GPU-12ab");
  EXPECT_FALSE(parse_nvidia_information("").has_value());
}

TEST(Cgroups, LimitKillsAreCountedWhereDelegated) {
  const auto groups = make_cgroups(Pid{::getpid()});
  auto group = groups->create("limits", {.memory_bytes = 32U << 20, .cpu_shares = 500});
  if (!group.has_value()) {
    EXPECT_EQ(group.error().code, Errc::Unsupported) << group.error().message;
    GTEST_SKIP() << group.error().message;
  }
  const auto child = spawn({.argv = {"/bin/sh", "-c", "read go; head -c 200m /dev/zero | tail"},
                            .env = {{"PATH", "/usr/bin:/bin"}},
                            .stdin_from = ToPipe{}});
  ASSERT_TRUE(child.has_value());
  ASSERT_TRUE((*group)->add(child->pid).has_value());
  ASSERT_EQ(::write(child->stdin_pipe.get(), "go\n", 3), 3);
  ASSERT_TRUE(reap(child->pid).has_value());
  EXPECT_GE((*group)->oom_kills(), 1U);
  EXPECT_GT((*group)->memory_peak_bytes().value_or(1U << 30), 16U << 20);
}

std::vector<std::string> groups_called(const std::string& name) {
  std::vector<std::string> found;
  const std::string own = read_proc("/proc/self/cgroup");
  for (const char* controller : {"", "memory", "cpu"}) {
    const std::string parent = find_cgroup(controller, own, "/sys/fs/cgroup");
    if (!parent.empty() && std::filesystem::exists(parent + "/" + name)) {
      found.push_back(parent + "/" + name);
    }
  }
  return found;
}

TEST(Cgroups, RemovesLaterWhatIsStillInUse) {
  const Pid owner{::getpid()};
  auto groups = make_cgroups(owner);
  auto first = groups->create("first", {.memory_bytes = 32U << 20, .cpu_shares = 500});
  if (!first.has_value()) {
    GTEST_SKIP() << first.error().message;
  }
  auto second = groups->create("second", {.memory_bytes = 32U << 20});
  ASSERT_TRUE(second.has_value());
  const auto names = [](const std::string& purpose) {
    return groups_called("muster-" + purpose + "." + std::to_string(::getpid()));
  };
  const auto child = spawn({.argv = {"/bin/sh", "-c", "read go"}, .stdin_from = ToPipe{}});
  ASSERT_TRUE(child.has_value());
  ASSERT_TRUE((*first)->add(child->pid).has_value());
  first->reset();
  second->reset();
  EXPECT_FALSE(names("first").empty()) << "a process lives in it";
  EXPECT_TRUE(names("second").empty());
  remove_cgroups_of(owner);
  EXPECT_FALSE(names("first").empty());

  ASSERT_EQ(::write(child->stdin_pipe.get(), "go\n", 3), 3);
  ASSERT_TRUE(reap(child->pid).has_value());
  remove_cgroups_of(Pid{1});
  EXPECT_FALSE(names("first").empty()) << "somebody else's";
  remove_cgroups_of(owner);
  EXPECT_TRUE(names("first").empty());
}

TEST(ProcText, FindsNumbersAndGroups) {
  EXPECT_EQ(number_after("a 1\nlow 2\noom_kill 3\n", "oom_kill "), 3U);
  EXPECT_EQ(number_after("a 1\n", "b "), std::nullopt);
  EXPECT_EQ(parse_decimal("max\n"), std::nullopt);
  EXPECT_EQ(find_cgroup("memory", "0::/\n", "/nowhere"), "");
  const std::string root = ::testing::TempDir() + "/cgroups";
  const auto files = make_local_files(nullptr);
  ASSERT_TRUE(files->make_folders(root + "/memory/a/b").has_value());
  EXPECT_EQ(find_cgroup("memory", "4:cpu,memory:/a/b\n0::/\n", root), root + "/memory/a/b");
  EXPECT_EQ(find_cgroup("memory", "4:memory:/host/only\n", root), root + "/memory");
  ASSERT_TRUE(files->remove_tree(root).has_value());
}

class WithFolder : public ::testing::Test {
 protected:
  WithFolder() {
    std::string name = ::testing::TempDir() + "/host.XXXXXX";
    root_ = ::mkdtemp(name.data());
  }
  ~WithFolder() override { EXPECT_TRUE(files_->remove_tree(root_).has_value()); }

  rt::IoLoop loop_;
  std::unique_ptr<Files> files_ = make_local_files(nullptr);
  Path root_;
};

TEST_F(WithFolder, LogRotatesAndKeepsFewFiles) {
  auto sink = open_file_sink(*files_, loop_, root_ / "log", {.rotate_at_bytes = 100, .keep = 2});
  ASSERT_TRUE(sink.has_value());
  for (int line = 0; line < 20; ++line) {
    (*sink)->write(log::Level::Info, "test.line", {{"number", line}});
  }
  (*sink)->write(log::Level::Debug, "test.unseen", {});
  const std::vector<FolderEntry> expected{
      {"log", FileKind::File}, {"log.1", FileKind::File}, {"log.2", FileKind::File}};
  EXPECT_EQ(files_->list(root_), expected);
  const auto text = files_->read(root_ / "log");
  EXPECT_TRUE(text->ends_with("info test.line number=19\n")) << *text;
  EXPECT_LE(text->size(), 100U);
}

TEST_F(WithFolder, WatchTellsOfWritesAndNewFiles) {
  int changes = 0;
  const auto watch = watch_file(loop_, root_, [&] {
    ++changes;
    loop_.stop();
  });
  ASSERT_TRUE(watch.has_value());
  ASSERT_TRUE(files_->write(root_ / "new", "x").has_value());
  loop_.run_until(loop_.now() + 10s);
  EXPECT_EQ(changes, 1);
  EXPECT_EQ(watch_file(loop_, root_ / "none", [] {}).error().code, Errc::NotFound);
}

}  // namespace
}  // namespace muster::os
