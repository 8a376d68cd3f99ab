#include "cluster/log_files.h"

#include "base/text.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <iterator>
#include <string_view>
#include <thread>

namespace muster::cluster {
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

/// What an index of times (agent/output/time_index.h writes it) says about one moment.
struct TimesIndex {
  std::optional<uint64_t> first_kept;  ///< Where output since then begins, over all parts.
  uint64_t oldest_part = 0;            ///< Where the oldest remaining part begins.
  size_t parts = 0;                    ///< Parts that it knows of.
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
  index.parts = begins.size();
  if (!begins.empty()) {
    index.oldest_part = begins[begins.size() - std::min<size_t>(parts, begins.size())];
  }
  return index;
}

std::filesystem::path part_of(const std::filesystem::path& newest, uint32_t number) {
  return number == 0 ? newest
                     : std::filesystem::path(newest.string() + "." + std::to_string(number));
}

uint32_t count_parts(os::Files& files, const std::filesystem::path& newest) {
  uint32_t parts = 1;
  while (parts < kPartsMax && files.exists(part_of(newest, parts))) {
    ++parts;
  }
  return parts;
}

/// Which bytes of a stream its files hold.
struct Kept {
  uint64_t begin = 0;
  uint32_t parts = 1;
  bool settled = false;  ///< No rotation is under way, as far as can be seen.
  bool operator==(const Kept&) const = default;
};

Kept look_at_parts(os::Files& files, const std::filesystem::path& newest) {
  const Result<std::string> text = files.read(newest.string() + ".times");
  const uint32_t parts = count_parts(files, newest);
  const TimesIndex index = parse_times(text.value_or(std::string()), WallTime::min(), parts);
  return {.begin = index.oldest_part,
          .parts = parts,
          .settled = files.exists(newest) && std::max<size_t>(index.parts, 1) == parts};
}

Result<std::string> read_parts(os::Files& files, const std::filesystem::path& newest,
                               uint32_t parts, uint64_t skip, uint64_t limit) {
  std::string text;
  for (uint32_t number = parts; number-- > 0 && text.size() < limit;) {
    const Result<os::FileStat> stat = files.stat(part_of(newest, number));
    if (!stat && stat.error().code != Errc::NotFound) {
      return stat.error();
    }
    const uint64_t size = stat ? stat->size_bytes : 0;
    if (skip >= size) {
      skip -= size;
      continue;
    }
    MUSTER_TRY(std::string piece,
               files.read_part(part_of(newest, number), skip, limit - text.size()));
    text = text.empty() ? std::move(piece) : std::move(text) + piece;
    skip = 0;
  }
  return text;
}

}  // namespace

LogExtent extent_of_log(os::Files& files, const std::filesystem::path& newest) {
  const Kept kept = look_at_parts(files, newest);
  LogExtent extent{.begin = kept.begin, .end = kept.begin};
  for (uint32_t number = 0; number < kept.parts; ++number) {
    const Result<os::FileStat> stat = files.stat(part_of(newest, number));
    extent.end += stat ? stat->size_bytes : 0;
  }
  return extent;
}

Result<LogRange> read_log_range(os::Files& files, const std::filesystem::path& newest,
                                uint64_t offset, uint64_t limit) {
  // A rotation between two looks would move the bytes; it takes microseconds, unless its process is
  // not running at the moment. An index that could not be written to disk never agrees with the
  // parts: in that case what was read is good enough.
  constexpr int kLooksMax = 10;
  for (int look = 1;; ++look) {
    const Kept kept = look_at_parts(files, newest);
    LogRange range{.offset = std::max(offset, kept.begin), .bytes = {}};
    MUSTER_TRY(range.bytes,
               read_parts(files, newest, kept.parts, range.offset - kept.begin, limit));
    if ((kept.settled && look_at_parts(files, newest) == kept) || look == kLooksMax) {
      return range;
    }
    // lint: allow(sleep) the other process tells nobody when it has renamed its files
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

bool LogFilter::admits(const LogStream& stream) const {
  const auto names = [&](const TaskSelector& task) {
    return stream.role == task.role && (!task.index || stream.index == *task.index);
  };
  return (tasks.empty() || std::ranges::any_of(tasks, names)) &&
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
    stream->parts = count_parts(files, stream->path);
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

LogTimes LogTimes::read(os::Files& files, const LogStream& stream) {
  LogTimes times;
  const Result<std::string> text = files.read(stream.path.string() + ".times");
  WallTime latest = WallTime::min();
  for (const std::string_view line : split(text ? std::string_view(*text) : "", '\n')) {
    const std::vector<std::string_view> words = split(line, ' ');
    const auto offset = number_of<uint64_t>(words[0]);
    const auto written = words.size() < 2 ? std::nullopt : number_of<int64_t>(words[1]);
    if (offset && written) {
      // Setting the clock back does not change the order.
      latest = std::max(latest, WallTime(Duration(*written)));
      times.begins_[*offset] = latest;
    }
  }
  return times;
}

std::optional<WallTime> LogTimes::at(uint64_t offset) const {
  const auto after = begins_.upper_bound(offset);
  return after == begins_.begin() ? std::nullopt : std::optional(std::prev(after)->second);
}

std::vector<std::pair<uint64_t, WallTime>> LogTimes::between(uint64_t from, uint64_t to) const {
  auto first = begins_.upper_bound(from);
  first = first == begins_.begin() ? first : std::prev(first);
  return {first, begins_.lower_bound(to)};
}

void LogCursor::skip_to(WallTime since) {
  const Result<std::string> text = files_.read(stream_.path.string() + ".times");
  if (!text) {
    const Result<os::FileStat> stat = files_.stat(stream_.path);
    if (stat && stat->modified < since) {
      next_ = extent_of_log(files_, stream_.path).end;
    }
    return;
  }
  const TimesIndex index = parse_times(*text, since, stream_.parts);
  next_ = index.first_kept.value_or(extent_of_log(files_, stream_.path).end);
}

Result<LogRange> LogCursor::read() {
  MUSTER_TRY(LogRange range, read_log_range(files_, stream_.path, next_, kPieceBytes));
  next_ = range.offset + range.bytes.size();
  return range;
}

}  // namespace muster::cluster
