#include "client/log_files.h"

#include "base/text.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace muster::client {
namespace {

constexpr uint64_t kPieceBytes = 256U << 10;
constexpr uint32_t kPartsMax = 1000;

template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return !text.empty() && error == std::errc() && end == text.data() + text.size()
             ? std::optional(value)
             : std::nullopt;
}

/// What an index of times (agent/time_index.h writes it) says of one moment.
struct TimesIndex {
  std::optional<uint64_t> first_kept;  ///< Where what was written since begins, over all parts.
  uint64_t oldest_part = 0;            ///< Where the oldest part that is still there begins.
};

TimesIndex parse_times(std::string_view text, WallTime since, uint32_t parts) {
  TimesIndex index;
  std::vector<uint64_t> begins;
  for (const std::string_view line : split(text, '\n')) {
    const std::vector<std::string_view> words = split(line, ' ');
    const auto offset = number_of<uint64_t>(words[0]);
    const auto written = words.size() < 2 ? std::nullopt : number_of<int64_t>(words[1]);
    if (!offset || !written) {
      continue;
    }
    if (words.size() > 2) {
      begins.push_back(*offset);
    }
    if (!index.first_kept && WallTime(Duration(*written)) >= since) {
      index.first_kept = offset;
    }
  }
  if (!begins.empty()) {
    index.oldest_part = begins[begins.size() - std::min<size_t>(parts, begins.size())];
  }
  return index;
}

}  // namespace

bool LogFilter::admits(const LogStream& stream) const {
  return (role.empty() || stream.role == role) && (!index || stream.index == *index) &&
         (!attempt || stream.attempt == *attempt) && (!is_err || stream.is_err == *is_err);
}

std::optional<LogStream> parse_log_name(std::string_view name) {
  const std::vector<std::string_view> dots = split(name, '.');
  if (dots.size() != 3 || (dots[2] != "stdout" && dots[2] != "stderr")) {
    return std::nullopt;
  }
  const size_t dash = dots[0].rfind('-');
  if (dash == std::string_view::npos || dash == 0) {
    return std::nullopt;
  }
  const auto index = number_of<uint32_t>(dots[0].substr(dash + 1));
  const auto attempt = number_of<uint32_t>(dots[1]);
  if (!index || !attempt) {
    return std::nullopt;
  }
  return LogStream{
      std::string(dots[0].substr(0, dash)), *index, *attempt, dots[2] == "stderr", {}, 1};
}

Result<std::vector<LogStream>> list_logs(os::Files& files, const std::filesystem::path& folder,
                                         const std::vector<std::string>& roles) {
  std::vector<LogStream> streams;
  const Result<std::vector<os::FolderEntry>> entries = files.list(folder);
  if (!entries) {
    return entries.error().code == Errc::NotFound ? Result<std::vector<LogStream>>(streams)
                                                  : entries.error();
  }
  for (const os::FolderEntry& entry : *entries) {
    std::optional<LogStream> stream = parse_log_name(entry.name);
    if (!stream || entry.kind != os::FileKind::File) {
      continue;
    }
    stream->path = folder / entry.name;
    while (stream->parts < kPartsMax &&
           files.exists(stream->path.string() + "." + std::to_string(stream->parts))) {
      ++stream->parts;
    }
    streams.push_back(std::move(*stream));
  }
  const auto rank = [&](const LogStream& stream) {
    return std::tuple(std::ranges::find(roles, stream.role) - roles.begin(), stream.role,
                      stream.index, stream.attempt, stream.is_err);
  };
  std::ranges::sort(streams,
                    [&](const LogStream& a, const LogStream& b) { return rank(a) < rank(b); });
  return streams;
}

LogCursor::LogCursor(os::Files& files, LogStream stream)
    : files_(files), stream_(std::move(stream)), part_(stream_.parts - 1) {}

std::filesystem::path LogCursor::part(uint32_t number) const {
  return number == 0 ? stream_.path
                     : std::filesystem::path(stream_.path.string() + "." + std::to_string(number));
}

uint64_t LogCursor::size_of(uint32_t number) const {
  const Result<os::FileStat> stat = files_.stat(part(number));
  return stat ? stat->size_bytes : 0;
}

void LogCursor::skip_to(WallTime since) {
  const Result<std::string> text = files_.read(stream_.path.string() + ".times");
  if (!text) {
    const Result<os::FileStat> stat = files_.stat(stream_.path);
    if (stat && stat->modified < since) {
      part_ = 0;
      offset_ = stat->size_bytes;
    }
    return;
  }
  const TimesIndex index = parse_times(*text, since, stream_.parts);
  if (!index.first_kept) {
    part_ = 0;
    offset_ = size_of(0);
    return;
  }
  uint64_t skip = *index.first_kept - std::min(index.oldest_part, *index.first_kept);
  while (part_ > 0 && skip >= size_of(part_)) {
    skip -= size_of(part_);
    --part_;
  }
  offset_ = std::min(skip, size_of(part_));
}

Result<std::string> LogCursor::read() {
  for (;;) {
    // The newest part became older if a rotation came between two reads: it is then one number up.
    if (part_ == 0 && size_of(0) < offset_) {
      part_ = 1;
    }
    Result<std::string> piece = files_.read_part(part(part_), offset_, kPieceBytes);
    if (!piece && piece.error().code == Errc::NotFound) {
      return std::string();
    }
    if (!piece || !piece->empty() || part_ == 0) {
      offset_ += piece ? piece->size() : 0;
      return piece;
    }
    --part_;
    offset_ = 0;
  }
}

}  // namespace muster::client
