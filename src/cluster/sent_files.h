#pragma once

#include "base/result.h"
#include "base/time.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::cluster {

/// A file of the submitting host that a job took along.
struct SentFile {
  std::string name;     ///< In the containers; the same for each submission of one specification.
  std::string content;  ///< Equal only if the bytes are.
  uint64_t bytes = 0;

  bool operator==(const SentFile&) const = default;
};

/// The content of a job's sent.json: written by the client of a cluster that keeps files by their
/// content, so that later jobs of the same name can be told what changes each time.
struct SentFiles {
  std::string job_name;
  WallTime submitted{};
  std::vector<SentFile> files;

  bool operator==(const SentFiles&) const = default;
};

[[nodiscard]] std::string to_text(const SentFiles& sent);
/// Corrupt for anything that to_text() does not make.
[[nodiscard]] Result<SentFiles> parse_sent_files(std::string_view text);

}  // namespace muster::cluster
