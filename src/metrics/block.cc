#include "metrics/block.h"

#include "base/check.h"
#include "base/crc32c.h"
#include "metrics/column.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

namespace muster::metrics {
namespace {

constexpr size_t kTaskBytesMax = 512;
/// For the directory, before compression.
constexpr size_t kDirectoryBytesMax = 32U << 20;

void put_fixed(std::string& out, uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8) {
    out += static_cast<char>((value >> shift) & 0xFF);
  }
}

uint32_t get_fixed(std::string_view bytes, size_t at) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i) {
    value |= static_cast<uint32_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  }
  return value;
}

/// Writes a part with its size, compressed if that gains anything: raw size (0: uncompressed),
/// bytes.
void put_part(std::string& out, std::string_view raw) {
  const std::optional<std::string> packed = compress(raw);
  put_varint(out, packed ? raw.size() : 0);
  put_text(out, packed ? *packed : raw);
}

struct Part {
  std::string_view bytes;
  size_t raw_bytes = 0;
};

std::optional<Part> get_part(ByteReader& in, size_t raw_bytes_max) {
  const std::optional<uint64_t> raw = in.varint();
  const std::optional<std::string_view> bytes = in.text(raw_bytes_max);
  if (!raw || !bytes || *raw > raw_bytes_max) {
    return std::nullopt;
  }
  return Part{.bytes = *bytes, .raw_bytes = *raw};
}

Result<std::string> unpack(std::string_view bytes, size_t raw_bytes) {
  return raw_bytes == 0 ? Result<std::string>(std::string(bytes)) : decompress(bytes, raw_bytes);
}

/// Subjects of one role are adjacent: the role is written once for all that follow.
std::string directory_of(const Block& block) {
  std::string out;
  put_varint(out, block.subjects.size());
  std::string_view role;
  uint32_t index = 0;
  for (const Subject& subject : block.subjects) {
    const bool other = subject.role != role;
    put_text(out, other ? subject.role : std::string_view());
    put_signed(out, int64_t{subject.index} - (other ? 0 : int64_t{index}));
    put_varint(out, subject.attempt);
    role = subject.role;
    index = subject.index;
  }
  put_varint(out, block.columns.size());
  for (const Column& column : block.columns) {
    put_text(out, column.metric.name);
    put_text(out, column.metric.unit);
    put_varint(out, static_cast<uint64_t>(column.metric.kind));
  }
  return out;
}

Result<std::vector<Subject>> get_subjects(ByteReader& in) {
  const std::optional<uint64_t> count = in.varint();
  // At least three bytes each, so that a small block cannot make its reader take much memory.
  if (!count || *count > kSubjectsMax || *count * 3 > in.rest().size()) {
    return corrupt_block("it has too many subjects");
  }
  std::vector<Subject> subjects;
  subjects.reserve(*count);
  for (uint64_t i = 0; i < *count; ++i) {
    const std::optional<std::string_view> role = in.text(kTaskBytesMax);
    const std::optional<int64_t> index = in.signed_varint();
    const std::optional<uint64_t> attempt = in.varint();
    const bool same = role && role->empty();
    if (!role || !index || !attempt || *attempt > UINT32_MAX || (same && subjects.empty())) {
      return corrupt_block("its subjects cannot be read");
    }
    const uint64_t at =
        static_cast<uint64_t>(*index) + (same ? uint64_t{subjects.back().index} : uint64_t{0});
    if (at > UINT32_MAX) {
      return corrupt_block("a task's index is out of range");
    }
    subjects.push_back({.role = same ? subjects.back().role : std::string(*role),
                        .index = static_cast<uint32_t>(at),
                        .attempt = static_cast<uint32_t>(*attempt)});
  }
  return subjects;
}

Result<std::vector<Metric>> get_metrics(ByteReader& in) {
  const std::optional<uint64_t> count = in.varint();
  if (!count || *count > kColumnsMax) {
    return corrupt_block("it has too many metrics");
  }
  std::vector<Metric> metrics;
  for (uint64_t i = 0; i < *count; ++i) {
    const std::optional<std::string_view> name = in.text(kNameBytesMax);
    const std::optional<std::string_view> unit = in.text(kUnitBytesMax);
    const std::optional<uint64_t> kind = in.varint();
    if (!name || !unit || !kind || *kind > static_cast<uint64_t>(Kind::Counter)) {
      return corrupt_block("its metrics cannot be read");
    }
    metrics.push_back(
        {.name = std::string(*name), .unit = std::string(*unit), .kind = static_cast<Kind>(*kind)});
    if (!check_metric(metrics.back())) {
      return corrupt_block("a metric's name is not text");
    }
  }
  return metrics;
}

/// Checks the frame of a block; returns what is in it.
Result<std::string_view> open_frame(std::string_view bytes) {
  if (bytes.size() < kBlockHeadBytes || !bytes.starts_with(kBlockMagic)) {
    return corrupt_block("it has no head");
  }
  if (const auto version = static_cast<uint8_t>(bytes[4]); version != kBlockVersion) {
    return Error{Errc::Unsupported, Blame::Cluster,
                 fmt::format("a block of samples has version {}; this Muster reads {}", version,
                             kBlockVersion)};
  }
  const std::string_view payload = bytes.substr(kBlockHeadBytes);
  if (get_fixed(bytes, 8) != payload.size() || payload.size() > kBlockBytesMax) {
    return corrupt_block("it is cut off");
  }
  if (get_fixed(bytes, 12) != crc32c(payload)) {
    return corrupt_block("its checksum is wrong");
  }
  return payload;
}

}  // namespace

std::string encode(const Block& block) {
  const size_t cells = block.subjects.size() * block.times;
  MUSTER_CHECK(block.times >= 1 && block.times <= kTimesMax && cells <= kCellsMax &&
                   block.subjects.size() <= kSubjectsMax && block.columns.size() <= kColumnsMax &&
                   cells * block.columns.size() <= kValuesMax,
               "a block within its bounds");
  std::string payload;
  put_varint(payload, block.step_s);
  put_signed(payload, block.start_s);
  put_varint(payload, block.times);
  put_part(payload, directory_of(block));
  for (const Column& column : block.columns) {
    MUSTER_CHECK(column.values.size() == cells && column.present.size() == cells,
                 "a column has a value for each subject and time");
    put_part(payload, encode_column(column, block.times));
  }
  std::string out(kBlockMagic);
  out += static_cast<char>(kBlockVersion);
  out.append(3, '\0');
  put_fixed(out, static_cast<uint32_t>(payload.size()));
  put_fixed(out, crc32c(payload));
  return out + payload;
}

Result<BlockView> BlockView::open(std::string_view bytes) {
  MUSTER_TRY(const std::string_view payload, open_frame(bytes));
  ByteReader in(payload);
  BlockView view;
  const std::optional<uint64_t> step = in.varint();
  const std::optional<int64_t> start = in.signed_varint();
  const std::optional<uint64_t> times = in.varint();
  constexpr int64_t kStartMax = int64_t{1} << 40;  // Tens of thousands of years.
  if (!step || !start || !times || *step == 0 || *step > kStepMax || *times == 0 ||
      *times > kTimesMax || *start > kStartMax || *start < -kStartMax) {
    return corrupt_block("its times are out of range");
  }
  view.step_s_ = static_cast<uint32_t>(*step);
  view.start_s_ = *start;
  view.times_ = static_cast<uint32_t>(*times);
  const std::optional<Part> directory = get_part(in, kDirectoryBytesMax);
  if (!directory) {
    return corrupt_block("its directory cannot be read");
  }
  MUSTER_TRY(const std::string names, unpack(directory->bytes, directory->raw_bytes));
  ByteReader lines(names);
  MUSTER_TRY(view.subjects_, get_subjects(lines));
  MUSTER_TRY(std::vector<Metric> metrics, get_metrics(lines));
  const size_t cells = view.subjects_.size() * view.times_;
  if (cells > kCellsMax || cells * metrics.size() > kValuesMax) {
    return corrupt_block("it has too many values");
  }
  for (Metric& metric : metrics) {
    const std::optional<Part> part = get_part(in, column_bytes_max(cells));
    if (!part) {
      return corrupt_block("a column cannot be read");
    }
    view.columns_.push_back(
        {.metric = std::move(metric), .bytes = part->bytes, .raw_bytes = part->raw_bytes});
  }
  if (!in.empty() || !lines.empty()) {
    return corrupt_block("it is too long");
  }
  return view;
}

Result<Column> BlockView::column(size_t at) const {
  const Packed& packed = columns_[at];
  MUSTER_TRY(const std::string raw, unpack(packed.bytes, packed.raw_bytes));
  Column column{.metric = packed.metric, .values = {}, .present = {}};
  MUSTER_TRY_STATUS(decode_column(raw, times_, subjects_.size() * times_, column));
  return column;
}

Result<Block> decode(std::string_view bytes) {
  MUSTER_TRY(const BlockView view, BlockView::open(bytes));
  Block block{.start_s = view.start_s(),
              .step_s = view.step_s(),
              .times = view.times(),
              .subjects = view.subjects(),
              .columns = {}};
  for (size_t i = 0; i < view.columns(); ++i) {
    MUSTER_TRY(Column column, view.column(i));
    block.columns.push_back(std::move(column));
  }
  return block;
}

}  // namespace muster::metrics
