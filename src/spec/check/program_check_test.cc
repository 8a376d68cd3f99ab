#include "spec/check/program_check.h"

#include "spec/read/layers.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace muster::spec {
namespace {

class FakeFiles final : public FileProbe {
 public:
  explicit FakeFiles(std::set<std::string> paths) : paths_(std::move(paths)) {}

  PathInfo look(const std::string& path) override {
    return {.kind = paths_.contains(path) ? PathInfo::Kind::Regular : PathInfo::Kind::Missing};
  }
  std::vector<std::string> names_in(const std::string&) override { return {}; }

 private:
  std::set<std::string> paths_;
};

std::string check(const std::string& text) {
  FakeFiles files({"train.py", "src/train.py", "run.sh"});
  const auto loaded = load({.spec = TextInput{"job.yaml", text}});
  if (!loaded) {
    return loaded.error().message;
  }
  const Status status = check_programs(loaded->spec, loaded->document, files);
  return status ? "" : status.error().message;
}

TEST(ProgramOf, FindsWhatACommandStarts) {
  const std::map<std::string, std::string> programs = {
      {"python3 train.py", "train.py"},
      {"python train.py --lr 0.1 other.py", "train.py"},
      {"exec /usr/bin/python3 -u -B ./src//train.py", "src/train.py"},
      {"OMP_NUM_THREADS=2 env A=b python3 train.py", "train.py"},
      {"./run.sh now", "run.sh"},
      {"bin/run.sh", "bin/run.sh"},
      {"sh run.sh", "run.sh"},
  };
  for (const auto& [command, program] : programs) {
    EXPECT_EQ(program_of(command), program) << command;
  }
}

TEST(ProgramOf, LeavesToTheShellWhatOnlyItCanTell) {
  for (const char* command :
       {"", "exec", "true", "train", "/opt/run.sh", "python3", "python3 -m pkg.train",
        "python3 -c pass", "python3 -X dev train.py", "python3 ../train.py", "python3 /a/train.py",
        "cd src && python3 train.py", "python3 $PROGRAM", "python3 \"a b.py\"", "torchrun train.py",
        "python3 train.py > out", "python3 ~/train.py", "cat a; ./run.sh"}) {
    EXPECT_EQ(program_of(command), "") << command;
  }
}

TEST(CheckPrograms, RefusesAProgramThatNoTaskWouldFind) {
  EXPECT_EQ(check("command: python3 train.py\ntasks: 1\n"),
            "job.yaml:1:10: error: command: `train.py` is not among the files of the tasks, which "
            "run in folders of their own; add it, as in `files: [train.py]`");
  EXPECT_EQ(check("command: 'true'\nroles: {a: {}, b: {command: ./nothing.sh}}\nfiles: [run.sh]\n"),
            "job.yaml:2:29: error: command: `nothing.sh` does not exist, neither here nor among "
            "`files`");
  EXPECT_EQ(check("command: python3 src/other.py\ntasks: 1\nfiles: [src]\n"),
            "job.yaml:1:10: error: command: `src/other.py` does not exist, neither here nor among "
            "`files`");
}

TEST(CheckPrograms, AcceptsWhatIsThereOrMayBe) {
  for (const char* rest :
       {"files: [train.py]", "files: [{src: other.py, as: train.py}]", "files: [code.tar.gz]",
        "files: [{src: code, unpack: yes}]", "files: ['hdfs://n/a/train.py']",
        "python: {interpreter: /opt/python}"}) {
    EXPECT_EQ(check(std::string("command: python3 train.py\ntasks: 1\n") + rest + "\n"), "")
        << rest;
  }
  EXPECT_EQ(check("command: python3 src/train.py\ntasks: 1\nfiles: [src]\n"), "");
  EXPECT_EQ(check("command: ./train.py\nroles: {w: {docker: {image: a}}}\n"), "");
}

}  // namespace
}  // namespace muster::spec
