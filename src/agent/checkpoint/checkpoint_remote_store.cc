#include "agent/checkpoint/checkpoint_remote_store.h"

#include "agent/checkpoint/checkpoint_names.h"

#include <algorithm>
#include <optional>

namespace muster::agent {
namespace {

constexpr uint64_t kManifestBytesMax = 64U << 20;

std::string below(const std::string& folder, std::string_view name) {
  return folder + "/" + std::string(name);
}

}  // namespace

std::string CheckpointRemoteStore::path_of(uint64_t number) const {
  return below(root_, checkpoint_name(number));
}

Result<std::vector<uint64_t>> CheckpointRemoteStore::numbers_in(RemoteFiles& remote) const {
  MUSTER_TRY(const std::vector<std::string> names, remote.list(root_));
  std::vector<uint64_t> numbers;
  for (const std::string& name : names) {
    if (const std::optional<uint64_t> number = parse_checkpoint_name(name)) {
      numbers.push_back(*number);
    }
  }
  std::ranges::sort(numbers);
  return numbers;
}

Result<CheckpointManifest> CheckpointRemoteStore::manifest_of(RemoteFiles& remote,
                                                              uint64_t number) const {
  MUSTER_TRY(const std::string text,
             remote.read(below(path_of(number), kCheckpointManifest), kManifestBytesMax));
  return decode_manifest(text);
}

Result<std::vector<uint64_t>> CheckpointRemoteStore::list() {
  MUSTER_TRY(const std::unique_ptr<RemoteFiles> remote, connect_());
  return numbers_in(*remote);
}

Result<CheckpointStore::Staged> CheckpointRemoteStore::stage(const std::filesystem::path& folder,
                                                             const std::vector<std::string>& paths,
                                                             CheckpointManifest manifest) {
  MUSTER_TRY(const std::unique_ptr<RemoteFiles> remote, connect_());
  Staged staged{incoming_name(writer_, ++staged_), std::move(manifest)};
  const std::string incoming = below(root_, staged.token);
  MUSTER_TRY_STATUS(remote->remove(incoming));
  for (const std::string& path : paths) {
    Result<CheckpointFile> copied = remote->put(folder / path, below(incoming, path));
    if (!copied.has_value()) {
      (void)remote->remove(incoming);
      return std::move(copied).error();
    }
    copied->path = path;
    staged.manifest.files.push_back(std::move(*copied));
  }
  MUSTER_TRY_STATUS(remote->write(below(incoming, kCheckpointManifest), encode(staged.manifest)));
  return staged;
}

Result<uint64_t> CheckpointRemoteStore::commit(const Staged& staged) {
  constexpr int kTriesMax = 16;
  MUSTER_TRY(const std::unique_ptr<RemoteFiles> remote, connect_());
  for (int tries = 0; tries < kTriesMax; ++tries) {
    MUSTER_TRY(const std::vector<uint64_t> numbers, numbers_in(*remote));
    if (!numbers.empty()) {
      // An unreadable checkpoint must not block the next one.
      const Result<CheckpointManifest> newest = manifest_of(*remote, numbers.back());
      if (newest.has_value()) {
        MUSTER_TRY_STATUS(refuse_older(*newest, staged.manifest));
      }
    }
    const uint64_t number = (numbers.empty() ? 0 : numbers.back()) + 1;
    const Status renamed = remote->rename(below(root_, staged.token), path_of(number));
    if (renamed.has_value()) {
      return number;
    }
    if (renamed.error().code != Errc::AlreadyExists) {
      return renamed.error();
    }
  }
  return Error{Errc::Other, Blame::Cluster,
               "the checkpoint could not be renamed to its final name because other writers keep "
               "taking it: " +
                   root_};
}

void CheckpointRemoteStore::discard(const Staged& staged) {
  if (const auto remote = connect_(); remote.has_value()) {
    (void)(*remote)->remove(below(root_, staged.token));
  }
}

Result<CheckpointManifest> CheckpointRemoteStore::fetch(uint64_t number,
                                                        const std::filesystem::path& folder) {
  MUSTER_TRY(const std::unique_ptr<RemoteFiles> remote, connect_());
  MUSTER_TRY(CheckpointManifest manifest, manifest_of(*remote, number));
  MUSTER_TRY_STATUS(files_.make_folders(folder));
  for (const CheckpointFile& wanted : manifest.files) {
    const std::filesystem::path target = folder / wanted.path;
    MUSTER_TRY_STATUS(files_.make_folders(target.parent_path()));
    const std::string from = below(path_of(number), wanted.path);
    MUSTER_TRY(const CheckpointFile got, remote->get(from, target));
    if (got.crc != wanted.crc || got.size_bytes != wanted.size_bytes) {
      return Error{Errc::Corrupt, Blame::Cluster, "a file of the checkpoint is damaged: " + from};
    }
  }
  return manifest;
}

Status CheckpointRemoteStore::prune(uint32_t keep) {
  MUSTER_TRY(const std::unique_ptr<RemoteFiles> remote, connect_());
  MUSTER_TRY(const std::vector<uint64_t> numbers, numbers_in(*remote));
  for (size_t i = 0; i + std::max(keep, 1U) < numbers.size(); ++i) {
    MUSTER_TRY_STATUS(remote->remove(path_of(numbers[i])));
  }
  MUSTER_TRY(const std::vector<std::string> names, remote->list(root_));
  for (const std::string& name : names) {
    if (is_incoming_of(name, writer_) && name != incoming_name(writer_, staged_)) {
      MUSTER_TRY_STATUS(remote->remove(below(root_, name)));
    }
  }
  return {};
}

}  // namespace muster::agent
