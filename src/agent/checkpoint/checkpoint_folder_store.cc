#include "agent/checkpoint/checkpoint_folder_store.h"

#include "agent/checkpoint/checkpoint_names.h"

#include <zlib.h>

#include <algorithm>
#include <map>
#include <memory>

namespace muster::agent {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kCopiedBytes = 1U << 20;

/// Reads a file piece by piece; `to` may be nullptr.
Result<CheckpointFile> pump(os::Files& files, const fs::path& from, os::AppendFile* to) {
  CheckpointFile file;
  while (true) {
    MUSTER_TRY(const std::string piece, files.read_part(from, file.size_bytes, kCopiedBytes));
    if (piece.empty()) {
      return file;
    }
    file.crc = add_to_crc(file.crc, piece);
    file.size_bytes += piece.size();
    if (to != nullptr) {
      MUSTER_TRY_STATUS(to->append(piece));
    }
  }
}

}  // namespace

uint32_t add_to_crc(uint32_t crc, std::string_view bytes) {
  return static_cast<uint32_t>(
      ::crc32(crc, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size())));
}

Result<CheckpointFile> crc_of(os::Files& files, const fs::path& path) {
  return pump(files, path, nullptr);
}

Result<CheckpointFile> copy_with_crc(os::Files& files, const fs::path& from, const fs::path& to) {
  MUSTER_TRY_STATUS(files.make_folders(to.parent_path()));
  MUSTER_TRY(const std::unique_ptr<os::AppendFile> target, files.open_append(to));
  MUSTER_TRY(CheckpointFile file, pump(files, from, target.get()));
  MUSTER_TRY_STATUS(target->sync());
  return file;
}

fs::path CheckpointFolderStore::path_of(uint64_t number) const {
  return root_ / checkpoint_name(number);
}

Result<std::vector<uint64_t>> CheckpointFolderStore::list() {
  std::vector<uint64_t> numbers;
  if (!files_.exists(root_)) {
    return numbers;
  }
  MUSTER_TRY(const std::vector<os::FolderEntry> entries, files_.list(root_));
  for (const os::FolderEntry& entry : entries) {
    const std::optional<uint64_t> number = parse_checkpoint_name(entry.name);
    if (number && entry.kind == os::FileKind::Folder &&
        files_.exists(path_of(*number) / kCheckpointManifest)) {
      numbers.push_back(*number);
    }
  }
  std::ranges::sort(numbers);
  return numbers;
}

Result<CheckpointManifest> CheckpointFolderStore::manifest_of(uint64_t number) {
  MUSTER_TRY(const std::string text, files_.read(path_of(number) / kCheckpointManifest));
  return decode_manifest(text);
}

Result<CheckpointStore::Staged> CheckpointFolderStore::stage(const fs::path& folder,
                                                             const std::vector<std::string>& paths,
                                                             CheckpointManifest manifest) {
  Staged staged{incoming_name(writer_, ++staged_), std::move(manifest)};
  const fs::path incoming = root_ / staged.token;
  MUSTER_TRY_STATUS(files_.remove_tree(incoming));
  MUSTER_TRY_STATUS(files_.make_folders(incoming));
  std::map<std::string, CheckpointFile> before;
  MUSTER_TRY(const std::vector<uint64_t> numbers, list());
  if (!numbers.empty()) {
    if (const auto last = manifest_of(numbers.back()); last.has_value()) {
      for (const CheckpointFile& file : last->files) {
        before[file.path] = file;
      }
    }
  }
  for (const std::string& path : paths) {
    const fs::path target = incoming / path;
    const auto known = before.find(path);
    const auto stat = files_.stat(folder / path);
    if (known != before.end() && stat.has_value() && stat->size_bytes == known->second.size_bytes) {
      MUSTER_TRY(CheckpointFile now, crc_of(files_, folder / path));
      now.path = path;
      MUSTER_TRY_STATUS(files_.make_folders(target.parent_path()));
      if (now == known->second &&
          files_.hard_link(path_of(numbers.back()) / path, target).has_value()) {
        staged.manifest.files.push_back(now);
        continue;
      }
    }
    MUSTER_TRY(CheckpointFile file, copy_with_crc(files_, folder / path, target));
    file.path = path;
    staged.manifest.files.push_back(file);
  }
  MUSTER_TRY_STATUS(
      files_.write(incoming / kCheckpointManifest, encode(staged.manifest), {.durable = true}));
  return staged;
}

Status CheckpointFolderStore::refuse_if_older(const std::vector<uint64_t>& numbers,
                                              const CheckpointManifest& manifest) {
  if (numbers.empty()) {
    return {};
  }
  // An unreadable checkpoint must not block the next one.
  const Result<CheckpointManifest> newest = manifest_of(numbers.back());
  return newest ? refuse_older(*newest, manifest) : Status();
}

Result<uint64_t> CheckpointFolderStore::commit(const Staged& staged) {
  constexpr int kTriesMax = 16;
  for (int tries = 0; tries < kTriesMax; ++tries) {
    MUSTER_TRY(const std::vector<uint64_t> numbers, list());
    MUSTER_TRY_STATUS(refuse_if_older(numbers, staged.manifest));
    const uint64_t number =
        (numbers.empty() ? 0 : numbers.back()) + 1 + static_cast<uint64_t>(tries);
    // An existing folder of that name makes the rename fail, which means that somebody else was
    // faster.
    if (files_.rename(root_ / staged.token, path_of(number)).has_value()) {
      return number;
    }
  }
  return Error{Errc::Other, Blame::Cluster,
               "the checkpoint could not be renamed to its final name: " + root_.string()};
}

void CheckpointFolderStore::discard(const Staged& staged) {
  (void)files_.remove_tree(root_ / staged.token);
}

Result<CheckpointManifest> CheckpointFolderStore::fetch(uint64_t number, const fs::path& folder) {
  MUSTER_TRY(CheckpointManifest manifest, manifest_of(number));
  MUSTER_TRY_STATUS(files_.make_folders(folder));
  for (const CheckpointFile& wanted : manifest.files) {
    MUSTER_TRY(const CheckpointFile got,
               copy_with_crc(files_, path_of(number) / wanted.path, folder / wanted.path));
    if (got.crc != wanted.crc || got.size_bytes != wanted.size_bytes) {
      return Error{
          Errc::Corrupt, Blame::Cluster,
          "a file of the checkpoint is damaged: " + (path_of(number) / wanted.path).string()};
    }
  }
  return manifest;
}

Status CheckpointFolderStore::prune(uint32_t keep) {
  MUSTER_TRY(const std::vector<uint64_t> numbers, list());
  for (size_t i = 0; i + std::max(keep, 1U) < numbers.size(); ++i) {
    // The manifest goes first: half a checkpoint must never look like a whole one.
    MUSTER_TRY_STATUS(files_.remove(path_of(numbers[i]) / kCheckpointManifest));
    MUSTER_TRY_STATUS(files_.remove_tree(path_of(numbers[i])));
  }
  MUSTER_TRY(const std::vector<os::FolderEntry> entries, files_.list(root_));
  for (const os::FolderEntry& entry : entries) {
    if (is_incoming_of(entry.name, writer_) && entry.name != incoming_name(writer_, staged_)) {
      MUSTER_TRY_STATUS(files_.remove_tree(root_ / entry.name));
    }
  }
  return {};
}

}  // namespace muster::agent
