#include "agent/checkpoint/checkpoint_names.h"

#include <fmt/format.h>

#include <charconv>

namespace muster::agent {
namespace {

constexpr std::string_view kPrefix = "ckpt-";
constexpr std::string_view kIncoming = ".incoming-";

}  // namespace

std::string checkpoint_name(uint64_t number) { return fmt::format("{}{:08}", kPrefix, number); }

std::optional<uint64_t> parse_checkpoint_name(std::string_view name) {
  if (!name.starts_with(kPrefix)) {
    return std::nullopt;
  }
  name.remove_prefix(kPrefix.size());
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc{} || end != name.data() + name.size()) {
    return std::nullopt;
  }
  return number;
}

std::string incoming_name(std::string_view writer, uint64_t count) {
  return fmt::format("{}{}-{}", kIncoming, writer, count);
}

bool is_incoming_of(std::string_view name, std::string_view writer) {
  return name.starts_with(fmt::format("{}{}-", kIncoming, writer));
}

Status refuse_older(const CheckpointManifest& newest, const CheckpointManifest& manifest) {
  if (newest.job == manifest.job && newest.generation > manifest.generation) {
    return cluster_error(
        fmt::format("generation {} has committed a checkpoint since", newest.generation.value));
  }
  return {};
}

}  // namespace muster::agent
