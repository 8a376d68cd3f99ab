#include "spec/check/file_check.h"

#include "spec/read/layers.h"

#include <gtest/gtest.h>

#include <map>

namespace muster::spec {
namespace {

using Kind = PathInfo::Kind;

/// Files by path; a folder exists as soon as it is named.
class FakeFiles final : public FileProbe {
 public:
  std::map<std::string, PathInfo> files;

  PathInfo look(const std::string& path) override {
    std::string key = path;
    while (key.size() > 1 && key.ends_with('/')) {
      key.pop_back();
    }
    const auto found = files.find(key);
    return found == files.end() ? PathInfo{} : found->second;
  }

  std::vector<std::string> names_in(const std::string& folder) override {
    const std::string prefix = folder.ends_with('/') ? folder : folder + "/";
    std::vector<std::string> names;
    for (const auto& [path, info] : files) {
      if (path.starts_with(prefix) && path.find('/', prefix.size()) == std::string::npos) {
        names.push_back(path.substr(prefix.size()));
      }
    }
    return names;
  }
};

std::string check(const std::string& keys, FakeFiles& files) {
  const auto loaded =
      load({.spec = TextInput{"job.yaml", "command: a empty.py\ntasks: 1\n" + keys + "\n"}});
  if (!loaded.has_value()) {
    return loaded.error().message;
  }
  const Status status = check_files(loaded->spec, loaded->document, files);
  return status.has_value() ? "" : status.error().message;
}

TEST(CheckFiles, LooksAtEveryNamedFile) {
  FakeFiles files;
  files.files = {{"train.py", {.kind = Kind::Regular, .size = 9}},
                 {"two words.py", {.kind = Kind::Regular, .size = 9}},
                 {"../shared/a.py", {.kind = Kind::Regular, .size = 9}},
                 {"empty.py", {.kind = Kind::Regular}},
                 {"empty.zip", {.kind = Kind::Regular}},
                 {"__init__.py", {.kind = Kind::Regular}},
                 {"agent.sock", {.kind = Kind::Socket}},
                 {"fifo", {.kind = Kind::Pipe}},
                 {"secret.py", {.kind = Kind::Regular, .size = 1, .readable = false}},
                 {"dangling", {.kind = Kind::Missing, .link = "gone"}},
                 {"locked/a", {.kind = Kind::Forbidden}},
                 {"data", {.kind = Kind::Folder}}};
  const struct {
    const char* keys;
    const char* message;
  } rows[] = {
      {"files: [train.py, \"two words.py\", ../shared/a.py, data/, hdfs:///x.tgz]", ""},
      {"files: [train.py, trian.py]", "job.yaml:3:19: error: files: `trian.py` does not exist"},
      {"files: [__init__.py]", ""},
      {"files: [empty.py]", "job.yaml:3:9: error: files: `empty.py` is empty"},
      {"files: [empty.zip]", "job.yaml:3:9: error: files: `empty.zip` is empty"},
      {"files: [agent.sock]",
       "job.yaml:3:9: error: files: `agent.sock` is a socket; only files and folders can be "
       "sent along"},
      {"files: [fifo]",
       "job.yaml:3:9: error: files: `fifo` is a pipe; only files and folders can be sent along"},
      {"files: [secret.py]",
       "job.yaml:3:9: error: files: `secret.py` cannot be read: permission denied"},
      {"files: [dangling]",
       "job.yaml:3:9: error: files: `dangling` is a link to gone, which does not exist"},
      {"files: [locked/a]",
       "job.yaml:3:9: error: files: `locked/a` cannot be reached: permission denied"},
      {"files: [train.py/]", "job.yaml:3:9: error: files: `train.py/` is a file, not a folder"},
      {"python: {env: venv.tgz}", "job.yaml:3:15: error: python.env: `venv.tgz` does not exist"},
      {"env: {T: {from_file: token}}", "job.yaml:3:7: error: env.T: `token` does not exist"},
      {"env: {T: {from_file: data}}",
       "job.yaml:3:7: error: env.T: `data` is a folder; from_file must name a file"},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(check(row.keys, files), row.message) << row.keys;
  }
}

TEST(CheckFiles, RefusesLinksThatLeadOutOfAFolder) {
  FakeFiles files;
  files.files = {{"data", {.kind = Kind::Folder}},
                 {"data/a", {.kind = Kind::Regular, .size = 1}},
                 {"data/empty", {.kind = Kind::Regular}},
                 {"data/sub", {.kind = Kind::Folder}},
                 {"data/sub/fine", {.kind = Kind::Regular, .link = "../a"}},
                 {"data/sub/out", {.kind = Kind::Regular, .link = "../../other"}},
                 {"data/passwd", {.kind = Kind::Regular, .link = "/etc/passwd"}},
                 {"data/loop", {.kind = Kind::Folder, .link = "."}},
                 {"data/two\nlines", {.kind = Kind::Regular, .size = 1}}};
  EXPECT_EQ(check("files: [data/]", files),
            "job.yaml:3:9: error: files: the link `data/passwd` leads out of data, to /etc/passwd; "
            "the task would "
            "not find it there\n"
            "job.yaml:3:9: error: files: the link `data/sub/out` leads out of data, to "
            "../../other; the task would "
            "not find it there\n"
            "job.yaml:3:9: error: files: the name `data/two\\nlines` contains a line break");
}

}  // namespace
}  // namespace muster::spec
