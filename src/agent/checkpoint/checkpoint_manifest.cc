#include "agent/checkpoint/checkpoint_store.h"
#include "base/text.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>

namespace muster::agent {
namespace {

constexpr std::string_view kMagic = "muster-checkpoint 1";

Error corrupt() {
  return Error{Errc::Corrupt, Blame::Cluster, "the checkpoint's manifest is damaged"};
}

std::string escape(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= ' ' || c == '%' || byte == 0x7f) {
      escaped += fmt::format("%{:02x}", byte);
    } else {
      escaped += c;
    }
  }
  return escaped;
}

template <class Number>
std::optional<Number> parse(std::string_view text, int base = 10) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc{} || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return number;
}

std::optional<std::string> unescape(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      plain += text[i];
      continue;
    }
    const auto byte =
        i + 2 < text.size() ? parse<uint8_t>(text.substr(i + 1, 2), 16) : std::nullopt;
    if (!byte) {
      return std::nullopt;
    }
    plain += static_cast<char>(*byte);
    i += 2;
  }
  return plain;
}

/// "file CRC SIZE PATH"
std::optional<CheckpointFile> parse_file(const std::vector<std::string_view>& fields) {
  if (fields.size() != 4) {
    return std::nullopt;
  }
  const auto crc = parse<uint32_t>(fields[1], 16);
  const auto size = parse<uint64_t>(fields[2]);
  const auto path = unescape(fields[3]);
  if (!crc || !size || !path || path->empty() || path->front() == '/' ||
      ("/" + *path + "/").find("/../") != std::string::npos) {
    return std::nullopt;
  }
  return CheckpointFile{*path, *size, *crc};
}

}  // namespace

std::string encode(const CheckpointManifest& manifest) {
  std::string text = fmt::format("{}\njob {}\ngeneration {}\nname {}\nmarker {}\n", kMagic,
                                 escape(manifest.job.value), manifest.generation.value,
                                 escape(manifest.name), escape(manifest.marker));
  for (const CheckpointFile& file : manifest.files) {
    text += fmt::format("file {:08x} {} {}\n", file.crc, file.size_bytes, escape(file.path));
  }
  return text + fmt::format("end {}\n", manifest.files.size());
}

Result<CheckpointManifest> decode_manifest(std::string_view text) {
  CheckpointManifest manifest;
  std::vector<std::string_view> lines = split(text, '\n');
  if (lines.size() < 7 || lines[0] != kMagic || !lines.back().empty()) {
    return corrupt();
  }
  constexpr std::array<std::string_view, 4> kHead = {"job ", "generation ", "name ", "marker "};
  for (size_t i = 0; i < kHead.size(); ++i) {
    if (!lines[i + 1].starts_with(kHead[i])) {
      return corrupt();
    }
    lines[i + 1].remove_prefix(kHead[i].size());
  }
  const auto job = unescape(lines[1]);
  const auto generation = parse<uint32_t>(lines[2]);
  const auto name = unescape(lines[3]);
  const auto marker = unescape(lines[4]);
  if (!job || !generation || !name || !marker) {
    return corrupt();
  }
  manifest.job.value = *job;
  manifest.generation.value = *generation;
  manifest.name = *name;
  manifest.marker = *marker;
  for (size_t i = 5; i + 2 < lines.size(); ++i) {
    const auto fields = split(lines[i], ' ');
    const auto file = fields[0] == "file" ? parse_file(fields) : std::nullopt;
    if (!file) {
      return corrupt();
    }
    manifest.files.push_back(*file);
  }
  if (lines[lines.size() - 2] != fmt::format("end {}", manifest.files.size())) {
    return corrupt();
  }
  return manifest;
}

}  // namespace muster::agent
