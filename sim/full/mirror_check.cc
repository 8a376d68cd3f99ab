#include "sim/full/mirror_check.h"

#include "agent/checkpoint/checkpoint_store.h"

#include <fmt/format.h>

#include <algorithm>

namespace muster::sim {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kManifest = ".muster-manifest";
constexpr std::string_view kCommitted = "ckpt-";

bool is_below(const fs::path& path, const fs::path& root) {
  return std::ranges::mismatch(root, path).in1 == root.end();
}

std::string text_of(const testing::MemoryTree& tree, const fs::path& path) {
  const auto found = tree.nodes.find(path);
  return found == tree.nodes.end() || !found->second.content ? std::string()
                                                             : found->second.content->bytes;
}

}  // namespace

std::string MirrorCheck::look(const testing::MemoryTree& tree, const fs::path& root,
                              const Grants& grants) {
  for (const auto& [path, node] : tree.nodes) {
    const fs::path folder = path.parent_path();
    const bool committed = path.filename() == kManifest && is_below(path, root) &&
                           folder.filename().string().starts_with(kCommitted);
    if (!committed || seen_[folder.parent_path()].contains(folder.filename().string())) {
      continue;
    }
    std::string broken = take(folder, node.content->bytes, tree, grants);
    if (!broken.empty()) {
      return broken;
    }
  }
  return {};
}

std::string MirrorCheck::take(const fs::path& folder, const std::string& manifest,
                              const testing::MemoryTree& tree, const Grants& grants) {
  const Result<agent::CheckpointManifest> decoded = agent::decode_manifest(manifest);
  const std::string number = folder.filename().string();
  if (!decoded) {
    return number + " has a manifest that cannot be read: " + decoded.error().message;
  }
  if (!grants.contains({decoded->generation, decoded->name})) {
    return fmt::format("{} of generation {} was never granted", number, decoded->generation.value);
  }
  if (text_of(tree, folder / kWeightsFile) != text_of(tree, folder / kMarkFile)) {
    return number + " is a mixture of two checkpoints";
  }
  auto& others = seen_[folder.parent_path()];
  for (const auto& [other, generation] : others) {
    if (other < number && generation > decoded->generation) {
      return fmt::format("{} of generation {} comes after {} of generation {}", number,
                         decoded->generation.value, other, generation.value);
    }
  }
  others.emplace(number, decoded->generation);
  return {};
}

}  // namespace muster::sim
