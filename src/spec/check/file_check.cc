#include "spec/check/file_check.h"

#include "base/check.h"
#include "base/text.h"
#include "spec/archive_name.h"
#include "spec/read/problems.h"

#include <fmt/format.h>

#include <algorithm>

namespace muster::spec {
namespace {

constexpr size_t kEntriesMax = 200'000;
constexpr size_t kDepthMax = 64;
constexpr uint64_t kSecretBytesMax = 64 * 1024;

/// Returns whether a link at `place` inside a folder leads out of that folder; `place` is relative
/// to the folder.
bool leads_out(std::string_view place, std::string_view link) {
  if (link.starts_with('/')) {
    return true;
  }
  const std::vector<std::string_view> parts = split(place, '/');
  int64_t depth = static_cast<int64_t>(parts.size()) - 1;
  for (const std::string_view part : split(link, '/')) {
    if (part == "..") {
      --depth;
    } else if (!part.empty() && part != ".") {
      ++depth;
    }
    if (depth < 0) {
      return true;
    }
  }
  return false;
}

std::string_view describe(PathInfo::Kind kind) {
  switch (kind) {
    case PathInfo::Kind::Missing:
      return "does not exist";
    case PathInfo::Kind::Regular:
      return "is a file";
    case PathInfo::Kind::Folder:
      return "is a folder";
    case PathInfo::Kind::Socket:
      return "is a socket";
    case PathInfo::Kind::Pipe:
      return "is a pipe";
    case PathInfo::Kind::Device:
      return "is a device";
    case PathInfo::Kind::Forbidden:
      return "cannot be reached: permission denied";
  }
  MUSTER_CHECK(false, "unknown PathInfo::Kind");
}

enum class Empty : uint8_t { Fine, Wrong };

/// An empty __init__.py or list of data may be intended; an empty program or archive cannot be.
bool may_be_empty(const File& file, std::string_view command) {
  if (file.unpack == Unpack::Yes ||
      (file.unpack == Unpack::Auto && !archive_stem(file.src).empty())) {
    return false;
  }
  const std::vector<std::string_view> words = split(command, ' ');
  return std::ranges::none_of(
      words, [&](std::string_view word) { return word == place_of(file) || word == file.src; });
}

class FileCheck {
 public:
  FileCheck(const Node& document, FileProbe& probe) : document_(document), probe_(probe) {}

  /// Checks files; `command` is what runs next to them.
  void settings(const std::vector<File>& files, const std::optional<Python>& python,
                const Environment& env, std::string_view command, std::vector<std::string> at) {
    at.emplace_back("files");
    for (size_t i = 0; i < files.size(); ++i) {
      at.push_back(std::to_string(i));
      origin_ = origin_of(document_, at);
      named("files", files[i].src, may_be_empty(files[i], command) ? Empty::Fine : Empty::Wrong);
      at.pop_back();
    }
    at.back() = "python";
    if (python.has_value() && !python->env.empty()) {
      at.emplace_back("env");
      origin_ = origin_of(document_, at);
      named("python.env", python->env, Empty::Wrong);
      at.pop_back();
    }
    at.back() = "env";
    for (const auto& [name, value] : env) {
      if (value.source == EnvValue::Source::FromFile) {
        at.push_back(name);
        origin_ = origin_of(document_, at);
        secret(name, value.text);
        at.pop_back();
      }
    }
  }

  Status result() const { return problems_.empty() ? Status() : Status(problems_.error()); }

 private:
  void fail(std::string message) { problems_.add(origin_, std::move(message)); }

  /// Returns whether something usable exists there; otherwise reports what is wrong.
  bool usable(std::string_view key, const std::string& path, const PathInfo& info) {
    const bool content =
        info.kind == PathInfo::Kind::Regular || info.kind == PathInfo::Kind::Folder;
    if (info.kind == PathInfo::Kind::Missing && info.link.has_value()) {
      fail(fmt::format("{}: `{}` is a link to {}, which does not exist", key, path, *info.link));
    } else if (!content) {
      const bool special =
          info.kind != PathInfo::Kind::Missing && info.kind != PathInfo::Kind::Forbidden;
      fail(fmt::format("{}: `{}` {}{}", key, path, describe(info.kind),
                       special ? "; only files and folders can be sent along" : ""));
    } else if (!info.readable) {
      fail(fmt::format("{}: `{}` cannot be read: permission denied", key, path));
    }
    return content && info.readable;
  }

  void named(std::string_view key, const std::string& path, Empty empty) {
    if (is_uri(path)) {
      return;
    }
    const PathInfo info = probe_.look(path);
    if (!usable(key, path, info)) {
      return;
    }
    if (info.kind == PathInfo::Kind::Regular && path.ends_with('/')) {
      fail(fmt::format("{}: `{}` is a file, not a folder", key, path));
    } else if (info.kind == PathInfo::Kind::Regular && info.size == 0 && empty == Empty::Wrong) {
      fail(fmt::format("{}: `{}` is empty", key, path));
    } else if (info.kind == PathInfo::Kind::Folder) {
      std::string folder = path;
      while (folder.size() > 1 && folder.ends_with('/')) {
        folder.pop_back();
      }
      entries_ = 0;
      inside(key, folder, "", 0);
    }
  }

  /// Checks the contents of a folder; `place` is the path below the folder that the spec names,
  /// with a slash at its end.
  void inside(std::string_view key, const std::string& folder, const std::string& place,
              size_t depth) {
    for (const std::string& name : probe_.names_in(place.empty() ? folder : folder + "/" + place)) {
      const std::string below = place + name;
      const std::string path = folder + "/" + below;
      if (++entries_ == kEntriesMax + 1) {
        fail(fmt::format("{}: `{}` holds more than {} files; send an archive instead", key, folder,
                         kEntriesMax));
      }
      if (entries_ > kEntriesMax) {
        return;
      }
      const PathInfo info = probe_.look(path);
      if (name.find_first_of("\n\r") != std::string::npos) {
        fail(fmt::format("{}: the name `{}` contains a line break", key, path));
      } else if (info.link.has_value() && leads_out(below, *info.link)) {
        fail(fmt::format(
            "{}: the link `{}` leads out of {}, to {}; the task would not find it there", key, path,
            folder, *info.link));
      } else if (usable(key, path, info) && info.kind == PathInfo::Kind::Folder &&
                 !info.link.has_value()) {
        if (depth == kDepthMax) {
          fail(fmt::format("{}: `{}` is nested deeper than {} folders", key, path, kDepthMax));
        } else {
          inside(key, folder, below + "/", depth + 1);
        }
      }
    }
  }

  void secret(const std::string& name, const std::string& path) {
    const PathInfo info = probe_.look(path);
    const std::string key = "env." + name;
    if (!usable(key, path, info)) {
      return;
    }
    if (info.kind == PathInfo::Kind::Folder) {
      fail(fmt::format("{}: `{}` is a folder; from_file must name a file", key, path));
    } else if (info.size > kSecretBytesMax) {
      fail(fmt::format("{}: `{}` has {}; at most {} fit into a variable", key, path,
                       format_bytes(info.size), format_bytes(kSecretBytesMax)));
    }
  }

  const Node& document_;
  FileProbe& probe_;
  Problems problems_;
  Origin origin_;
  size_t entries_ = 0;
};

}  // namespace

bool is_uri(std::string_view src) {
  const size_t colon = src.find("://");
  if (colon == std::string_view::npos || colon == 0) {
    return false;
  }
  return std::ranges::all_of(src.substr(0, colon), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' ||
           c == '-' || c == '.';
  });
}

Status check_files(const Spec& spec, const Node& document, FileProbe& probe) {
  FileCheck check(document, probe);
  std::string commands = spec.command.value_or("");
  for (const Role& role : spec.roles) {
    commands += " " + role.command.value_or("");
  }
  check.settings(spec.files, spec.python, spec.env, commands, {});
  for (const Role& role : spec.roles) {
    check.settings(role.files.value_or(std::vector<File>{}), role.python, role.env, commands,
                   {"roles", role.name});
  }
  return check.result();
}

}  // namespace muster::spec
