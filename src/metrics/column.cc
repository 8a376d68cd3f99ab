#include "metrics/column.h"

#include <zstd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

namespace muster::metrics {
namespace {

constexpr int kLevel = 3;
constexpr size_t kVarintBytesMax = 10;
/// Compressing less than this gains nothing.
constexpr size_t kCompressMin = 24;

enum class Presence : uint8_t { All = 0, Bits = 1 };
enum class Values : uint8_t { Scaled = 0, Bits = 1 };

/// How many decimal places values may have and still be kept as whole numbers.
constexpr std::array<double, 5> kScales = {1, 1e2, 1e3, 1e6, 1e9};

/// Returns the first scale at which every value is a whole number and can be restored exactly.
std::optional<uint8_t> find_scale(const Column& column) {
  constexpr double kExactMax = 4503599627370496.0;  // 2^52
  for (size_t at = 0; at < kScales.size(); ++at) {
    const double scale = kScales[at];
    bool fits = true;
    for (size_t cell = 0; fits && cell < column.values.size(); ++cell) {
      if (!column.present[cell]) {
        continue;
      }
      const double value = column.values[cell];
      const double whole = std::nearbyint(value * scale);
      // Through an integer, as the reader does it: a negative zero would not be restored.
      fits = std::isfinite(value) && std::fabs(whole) < kExactMax &&
             std::bit_cast<uint64_t>(static_cast<double>(static_cast<int64_t>(whole)) / scale) ==
                 std::bit_cast<uint64_t>(value);
    }
    if (fits) {
      return static_cast<uint8_t>(at);
    }
  }
  return std::nullopt;
}

/// Calls for each value that is present, with whether it is the first of its subject.
template <class Call>
void each_present(const std::vector<bool>& present, uint32_t times, const Call& call) {
  for (size_t begin = 0; begin < present.size(); begin += times) {
    bool first = true;
    for (size_t cell = begin; cell < begin + times; ++cell) {
      if (present[cell]) {
        call(cell, first);
        first = false;
      }
    }
  }
}

/// A subject's first value is relative to the previous subject's first, which is mostly similar;
/// the others are relative to the one before.
void put_scaled(std::string& out, const Column& column, uint32_t times, double scale) {
  int64_t last = 0;
  int64_t last_first = 0;
  each_present(column.present, times, [&](size_t cell, bool first) {
    const auto whole = static_cast<int64_t>(std::nearbyint(column.values[cell] * scale));
    put_signed(out, whole - (first ? last_first : last));
    last = whole;
    if (first) {
      last_first = whole;
    }
  });
}

Status get_scaled(ByteReader& in, uint32_t times, double scale, Column& column) {
  uint64_t last = 0;  // Unsigned: hostile sums wrap.
  uint64_t last_first = 0;
  bool whole = true;
  each_present(column.present, times, [&](size_t cell, bool first) {
    const std::optional<int64_t> delta = whole ? in.signed_varint() : std::nullopt;
    whole = delta.has_value();
    if (!whole) {
      return;
    }
    last = (first ? last_first : last) + static_cast<uint64_t>(*delta);
    if (first) {
      last_first = last;
    }
    column.values[cell] = static_cast<double>(static_cast<int64_t>(last)) / scale;
  });
  return whole ? Status() : corrupt_block("a column is cut off");
}

/// For any values: writes what has changed from the previous one, with each of the eight bytes in a
/// plane of its own, so that the unchanged bytes are adjacent.
void put_bits(std::string& out, const Column& column, uint32_t times) {
  std::vector<uint64_t> words;
  uint64_t last = 0;
  each_present(column.present, times, [&](size_t cell, bool) {
    const auto bits = std::bit_cast<uint64_t>(column.values[cell]);
    words.push_back(bits ^ last);
    last = bits;
  });
  for (int plane = 7; plane >= 0; --plane) {
    for (const uint64_t word : words) {
      out += static_cast<char>((word >> (8 * plane)) & 0xFF);
    }
  }
}

Status get_bits(ByteReader& in, uint32_t times, Column& column) {
  const auto count =
      static_cast<size_t>(std::count(column.present.begin(), column.present.end(), true));
  const std::optional<std::string_view> planes = in.take(8 * count);
  if (!planes) {
    return corrupt_block("a column is cut off");
  }
  size_t at = 0;
  uint64_t last = 0;
  each_present(column.present, times, [&](size_t cell, bool) {
    uint64_t word = 0;
    for (size_t plane = 0; plane < 8; ++plane) {
      word = (word << 8) | static_cast<unsigned char>((*planes)[plane * count + at]);
    }
    ++at;
    last ^= word;
    column.values[cell] = std::bit_cast<double>(last);
  });
  return {};
}

void put_presence(std::string& out, const std::vector<bool>& present) {
  if (std::find(present.begin(), present.end(), false) == present.end()) {
    out += static_cast<char>(Presence::All);
    return;
  }
  out += static_cast<char>(Presence::Bits);
  unsigned byte = 0;
  for (size_t i = 0; i < present.size(); ++i) {
    byte |= (present[i] ? 1U : 0U) << (i % 8);
    if (i % 8 == 7 || i + 1 == present.size()) {
      out += static_cast<char>(byte);
      byte = 0;
    }
  }
}

Status get_presence(ByteReader& in, size_t cells, std::vector<bool>& present) {
  const std::optional<std::string_view> mode = in.take(1);
  if (!mode || static_cast<uint8_t>((*mode)[0]) > static_cast<uint8_t>(Presence::Bits)) {
    return corrupt_block("a column has an unknown presence");
  }
  if (static_cast<Presence>((*mode)[0]) == Presence::All) {
    present.assign(cells, true);
    return {};
  }
  const std::optional<std::string_view> bits = in.take((cells + 7) / 8);
  if (!bits) {
    return corrupt_block("a column is cut off");
  }
  present.resize(cells);
  for (size_t i = 0; i < cells; ++i) {
    present[i] = ((static_cast<unsigned char>((*bits)[i / 8]) >> (i % 8)) & 1U) != 0;
  }
  return {};
}

}  // namespace

Error corrupt_block(std::string_view what) {
  return Error{Errc::Corrupt, Blame::Cluster,
               "a block of samples is damaged: " + std::string(what)};
}

void put_varint(std::string& out, uint64_t value) {
  while (value >= 0x80) {
    out += static_cast<char>((value & 0x7F) | 0x80);
    value >>= 7;
  }
  out += static_cast<char>(value);
}

void put_signed(std::string& out, int64_t value) {
  put_varint(out, (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63));
}

void put_text(std::string& out, std::string_view text) {
  put_varint(out, text.size());
  out += text;
}

std::optional<uint64_t> ByteReader::varint() {
  uint64_t value = 0;
  for (size_t i = 0; i < kVarintBytesMax && i < bytes_.size(); ++i) {
    const auto byte = static_cast<unsigned char>(bytes_[i]);
    value |= static_cast<uint64_t>(byte & 0x7FU) << (7 * i);
    if (byte < 0x80) {
      bytes_.remove_prefix(i + 1);
      return value;
    }
  }
  return std::nullopt;
}

std::optional<int64_t> ByteReader::signed_varint() {
  const std::optional<uint64_t> value = varint();
  if (!value) {
    return std::nullopt;
  }
  return static_cast<int64_t>((*value >> 1) ^ (~(*value & 1) + 1));
}

std::optional<std::string_view> ByteReader::take(size_t size) {
  if (size > bytes_.size()) {
    return std::nullopt;
  }
  const std::string_view taken = bytes_.substr(0, size);
  bytes_.remove_prefix(size);
  return taken;
}

std::optional<std::string_view> ByteReader::text(size_t bytes_max) {
  const std::optional<uint64_t> size = varint();
  return size && *size <= bytes_max ? take(*size) : std::nullopt;
}

std::optional<std::string> compress(std::string_view raw) {
  if (raw.size() < kCompressMin) {
    return std::nullopt;
  }
  std::string out(ZSTD_compressBound(raw.size()), '\0');
  const size_t size = ZSTD_compress(out.data(), out.size(), raw.data(), raw.size(), kLevel);
  if (ZSTD_isError(size) != 0 || size >= raw.size()) {
    return std::nullopt;
  }
  out.resize(size);
  return out;
}

Result<std::string> decompress(std::string_view bytes, size_t raw_bytes) {
  // The frame also states its size: check what it claims before taking memory.
  if (ZSTD_getFrameContentSize(bytes.data(), bytes.size()) != raw_bytes) {
    return corrupt_block("a compressed part is not as long as it says");
  }
  std::string raw(raw_bytes, '\0');
  const size_t size = ZSTD_decompress(raw.data(), raw.size(), bytes.data(), bytes.size());
  if (ZSTD_isError(size) != 0 || size != raw_bytes) {
    return corrupt_block("a compressed part cannot be read");
  }
  return raw;
}

size_t column_bytes_max(size_t cells) { return 2 + cells / 8 + 1 + cells * kVarintBytesMax; }

std::string encode_column(const Column& column, uint32_t times) {
  std::string out;
  put_presence(out, column.present);
  const std::optional<uint8_t> scale = find_scale(column);
  out += static_cast<char>(scale ? Values::Scaled : Values::Bits);
  if (scale) {
    out += static_cast<char>(*scale);
    put_scaled(out, column, times, kScales[*scale]);
  } else {
    put_bits(out, column, times);
  }
  return out;
}

Status decode_column(std::string_view raw, uint32_t times, size_t cells, Column& column) {
  ByteReader in(raw);
  column.values.assign(cells, 0);
  MUSTER_TRY_STATUS(get_presence(in, cells, column.present));
  const std::optional<std::string_view> mode = in.take(1);
  if (mode && static_cast<Values>((*mode)[0]) == Values::Scaled) {
    const std::optional<std::string_view> scale = in.take(1);
    if (!scale || static_cast<unsigned char>((*scale)[0]) >= kScales.size()) {
      return corrupt_block("a column has an unknown scale");
    }
    MUSTER_TRY_STATUS(
        get_scaled(in, times, kScales[static_cast<unsigned char>((*scale)[0])], column));
  } else if (mode && static_cast<Values>((*mode)[0]) == Values::Bits) {
    MUSTER_TRY_STATUS(get_bits(in, times, column));
  } else {
    return corrupt_block("a column has an unknown encoding");
  }
  return in.empty() ? Status() : corrupt_block("a column is too long");
}

}  // namespace muster::metrics
