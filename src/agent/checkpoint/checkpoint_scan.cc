#include "agent/checkpoint/checkpoint_scan.h"

#include "base/text.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace muster::agent {
namespace {

namespace fs = std::filesystem;

constexpr size_t kFilesMax = 100'000;
constexpr uint64_t kMarkerBytesMax = 1U << 20;
constexpr Duration kQuiet = std::chrono::seconds(30);
constexpr std::array<std::string_view, 9> kWholeFileEndings = {
    ".pt", ".pth", ".ckpt", ".safetensors", ".bin", ".keras", ".h5", ".npz", ".pkl"};
constexpr std::array<std::string_view, 4> kZipEndings = {".pt", ".pth", ".keras", ".npz"};

bool is_temporary(const std::string& name) {
  return name.starts_with('.') || name.ends_with(".tmp") || name.ends_with(".part") ||
         name.ends_with("~") || name.find(".tmp-") != std::string::npos ||
         name.find(".tempstate") != std::string::npos;
}

template <size_t N>
bool has_ending(std::string_view name, const std::array<std::string_view, N>& endings) {
  return std::ranges::any_of(endings,
                             [&](std::string_view ending) { return name.ends_with(ending); });
}

const SeenFile* find(const FolderLook& look, const std::string& path) {
  const auto found = std::ranges::lower_bound(look, path, {}, &SeenFile::path);
  return found != look.end() && found->path == path ? &*found : nullptr;
}

bool holds(const FolderLook* look, const SeenFile& file) {
  const SeenFile* const seen = look == nullptr ? nullptr : find(*look, file.path);
  return seen != nullptr && *seen == file;
}

/// Returns the files that, as far as can be seen, nobody is writing.
FolderLook stable_files(const CheckpointLooks& looks) {
  FolderLook stable;
  for (const SeenFile& file : *looks.now) {
    if (looks.ended || holds(looks.before, file)) {
      stable.push_back(file);
    }
  }
  return stable;
}

std::string folder_part(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

std::vector<std::string> paths_of(const FolderLook& look) {
  std::vector<std::string> paths;
  paths.reserve(look.size());
  for (const SeenFile& file : look) {
    paths.push_back(file.path);
  }
  return paths;
}

/// True if "PREFIX.data-00000-of-00002" and its siblings are all there.
bool shards_are_whole(const FolderLook& look, const std::string& prefix) {
  size_t wanted = 0;
  size_t there = 0;
  const std::string start = prefix + ".data-";
  for (const SeenFile& file : look) {
    if (file.path.starts_with(start)) {
      ++there;
      const size_t of = file.path.rfind("-of-");
      wanted =
          of == std::string::npos ? 0 : static_cast<size_t>(std::atoi(file.path.c_str() + of + 4));
    }
  }
  return there > 0 && there == wanted;
}

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

/// Drops the data and index files that the `checkpoint` file beside them does not list: older ones
/// are about to be deleted, and newer ones are being written.
std::vector<std::string> tensorflow_files(const FolderLook& stable, const std::string& inside,
                                          const std::vector<std::string>& prefixes) {
  std::vector<std::string> kept;
  for (const SeenFile& file : stable) {
    const std::string name = base_name(file.path);
    const size_t data = name.rfind(".data-");
    const std::string stem = name.ends_with(".index")    ? name.substr(0, name.size() - 6)
                             : data != std::string::npos ? name.substr(0, data)
                                                         : std::string();
    const bool foreign = folder_part(file.path) != inside || stem.empty();
    if (foreign || std::ranges::find(prefixes, stem) != prefixes.end()) {
      kept.push_back(file.path);
    }
  }
  return kept;
}

std::optional<CompleteCheckpoint> by_tensorflow(os::Files& files, const fs::path& folder,
                                                const CheckpointLooks& looks) {
  for (const SeenFile& file : *looks.now) {
    if (base_name(file.path) != "checkpoint" || holds(looks.committed, file)) {
      continue;
    }
    const auto text = files.read(folder / file.path, kMarkerBytesMax);
    std::vector<std::string> prefixes =
        text.has_value() ? tensorflow_prefixes(*text) : std::vector<std::string>{};
    const std::string inside = folder_part(file.path);
    for (std::string& prefix : prefixes) {
      prefix = base_name(prefix);
    }
    if (prefixes.empty() || find(*looks.now, inside + prefixes[0] + ".index") == nullptr ||
        !shards_are_whole(*looks.now, inside + prefixes[0])) {
      continue;
    }
    // The file is replaced as a whole after the data, so everything it names has been written.
    return CompleteCheckpoint{inside + prefixes[0], "tensorflow",
                              tensorflow_files(*looks.now, inside, prefixes)};
  }
  return std::nullopt;
}

std::optional<CompleteCheckpoint> by_done(const CheckpointLooks& looks) {
  for (const SeenFile& file : *looks.now) {
    if (base_name(file.path) != "DONE" || holds(looks.committed, file)) {
      continue;
    }
    std::string inside = folder_part(file.path);
    std::vector<std::string> paths;
    for (const SeenFile& other : *looks.now) {
      // Everything beside DONE is whole; of the rest, take only what is not being written.
      if (other.path.starts_with(inside) || holds(looks.before, other)) {
        paths.push_back(other.path);
      }
    }
    return CompleteCheckpoint{inside.empty() ? "DONE" : inside.substr(0, inside.size() - 1), "done",
                              std::move(paths)};
  }
  return std::nullopt;
}

/// Returns whether the end of a zip archive is there: such files are written from front to back.
bool zip_is_whole(os::Files& files, const fs::path& path, uint64_t size) {
  const auto head = files.read_part(path, 0, 2);
  if (!head.has_value() || *head != "PK") {
    return head.has_value();  // Not a zip (an old torch file): nothing speaks against it.
  }
  constexpr uint64_t kEndRecord = 22;
  const auto tail = files.read_part(path, size - std::min(size, kEndRecord), kEndRecord);
  return tail.has_value() && tail->find("PK\x05\x06") != std::string::npos;
}

std::optional<CompleteCheckpoint> by_whole_file(os::Files& files, const fs::path& folder,
                                                const CheckpointLooks& looks,
                                                const FolderLook& stable) {
  const SeenFile* newest = nullptr;
  for (const SeenFile& file : *looks.now) {
    if (!has_ending(file.path, kWholeFileEndings) || holds(looks.committed, file)) {
      continue;
    }
    const bool whole = find(stable, file.path) != nullptr &&
                       (!has_ending(file.path, kZipEndings) ||
                        zip_is_whole(files, folder / file.path, file.size_bytes));
    if (!whole) {
      return std::nullopt;  // Several files make up one checkpoint, so wait for the last of them.
    }
    newest = newest == nullptr || file.modified > newest->modified ? &file : newest;
  }
  if (newest == nullptr) {
    return std::nullopt;
  }
  return CompleteCheckpoint{newest->path, "file", paths_of(stable)};
}

}  // namespace

std::vector<std::string> tensorflow_prefixes(std::string_view text) {
  std::vector<std::string> prefixes;
  for (const std::string_view line : split(text, '\n')) {
    const size_t open = line.find('"');
    const size_t close = line.rfind('"');
    const bool newest = line.starts_with("model_checkpoint_path:");
    if ((newest || line.starts_with("all_model_checkpoint_paths:")) &&
        open != std::string_view::npos && close > open) {
      std::string prefix(line.substr(open + 1, close - open - 1));
      prefixes.insert(newest ? prefixes.begin() : prefixes.end(), std::move(prefix));
    }
  }
  return !text.starts_with("model_checkpoint_path:") ? std::vector<std::string>{} : prefixes;
}

Result<FolderLook> look_at(os::Files& files, const fs::path& folder) {
  FolderLook look;
  std::vector<std::string> todo = {""};
  while (!todo.empty()) {
    const std::string inside = std::move(todo.back());
    todo.pop_back();
    const auto entries = files.list(folder / inside);
    if (!entries.has_value()) {
      if (entries.error().code == Errc::NotFound) {
        continue;
      }
      return entries.error();
    }
    for (const os::FolderEntry& entry : *entries) {
      if (is_temporary(entry.name) || look.size() >= kFilesMax) {
        continue;
      }
      if (entry.kind == os::FileKind::Folder) {
        todo.push_back(inside + entry.name + "/");
      } else if (entry.kind == os::FileKind::File) {
        if (const auto stat = files.stat(folder / inside / entry.name); stat.has_value()) {
          look.push_back({inside + entry.name, stat->size_bytes, stat->modified});
        }
      }
    }
  }
  std::ranges::sort(look, {}, &SeenFile::path);
  return look;
}

std::optional<CompleteCheckpoint> find_complete(os::Files& files, const fs::path& folder,
                                                const CheckpointLooks& looks) {
  if (looks.now->empty() || (looks.committed != nullptr && *looks.now == *looks.committed)) {
    return std::nullopt;
  }
  if (auto complete = by_tensorflow(files, folder, looks)) {
    return complete;
  }
  if (auto complete = by_done(looks)) {
    return complete;
  }
  const FolderLook stable = stable_files(looks);
  if (auto complete = by_whole_file(files, folder, looks, stable)) {
    return complete;
  }
  // Until its `checkpoint` file is replaced, TensorFlow's data is still being written, however
  // quiet it is.
  const bool has_marker = std::ranges::any_of(*looks.now, [](const SeenFile& file) {
    return base_name(file.path) == "checkpoint" || base_name(file.path) == "DONE" ||
           has_ending(file.path, kWholeFileEndings);
  });
  if (!has_marker && looks.quiet >= kQuiet) {
    return CompleteCheckpoint{"quiet", "quiet", paths_of(stable)};
  }
  return std::nullopt;
}

}  // namespace muster::agent
