#include "hadoop/krb5_conf.h"

#include "base/text.h"

#include <algorithm>
#include <vector>

namespace muster::hadoop {
namespace {

using Path = std::filesystem::path;

constexpr size_t kFilesMax = 100;
constexpr uint64_t kFileBytesMax = 1U << 20;

void keep(std::string_view line, Krb5Conf& conf) {
  const size_t equals = line.find('=');
  if (equals == std::string_view::npos) {
    return;
  }
  const std::string_view key = trim(line.substr(0, equals));
  const std::string_view value = trim(line.substr(equals + 1));
  if (key == "default_realm" && conf.default_realm.empty()) {
    conf.default_realm = value;
  } else if (key == "default_ccache_name" && conf.default_cache.empty()) {
    conf.default_cache = value;
  }
}

/// The library takes files with names of letters, digits, - and _, and those that end in .conf.
bool is_conf_name(std::string_view name) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
  };
  return !name.starts_with('.') && (name.ends_with(".conf") || std::ranges::all_of(name, plain));
}

/// Reads a file and, in place, those it includes.
class Loader {
 public:
  Loader(os::Files& files, Krb5Conf& conf) : files_(files), conf_(conf) {}

  void file(const Path& path, int depth = 0) {
    if (++read_ > kFilesMax || depth > 8) {
      return;
    }
    const Result<std::string> text = files_.read(path, kFileBytesMax);
    if (!text) {
      return;
    }
    for (const std::string_view line : split(*text, '\n')) {
      if (line.starts_with("include ")) {
        file(Path(trim(line.substr(8))), depth + 1);
      } else if (line.starts_with("includedir ")) {
        folder(Path(trim(line.substr(11))), depth + 1);
      }
    }
    parse_krb5_conf(*text, conf_);
  }

 private:
  void folder(const Path& path, int depth) {
    const auto entries = files_.list(path);
    if (!entries) {
      return;
    }
    for (const os::FolderEntry& entry : *entries) {
      if (is_conf_name(entry.name)) {
        file(path / entry.name, depth);
      }
    }
  }

  os::Files& files_;
  Krb5Conf& conf_;
  size_t read_ = 0;
};

}  // namespace

void parse_krb5_conf(std::string_view text, Krb5Conf& conf) {
  bool within = false;
  for (const std::string_view raw : split(text, '\n')) {
    const std::string_view line = trim(raw);
    if (line.starts_with('#') || line.starts_with(';')) {
      continue;
    }
    if (line.starts_with('[')) {
      within = line.starts_with("[libdefaults]");
    } else if (within) {
      keep(line, conf);
    }
  }
}

Krb5Conf load_krb5_conf(os::Files& files, const std::map<std::string, std::string>& environment) {
  Krb5Conf conf;
  Loader loader(files, conf);
  const auto named = environment.find("KRB5_CONFIG");
  const std::string paths =
      named == environment.end() || named->second.empty() ? "/etc/krb5.conf" : named->second;
  for (const std::string_view path : split(paths, ':')) {
    if (!path.empty()) {
      loader.file(Path(path));
    }
  }
  return conf;
}

}  // namespace muster::hadoop
