#pragma once

#include "base/result.h"
#include "base/time.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace muster::cluster::yarn {

/// Receives what a parser of logs finds. Errors end the parsing.
struct ContainerLogSink {
  /// A file begins; returns false if its content is not wanted.
  std::function<Result<bool>(const std::string& container, const std::string& file)> begin;
  /// The next bytes of the file that began last.
  std::function<Status(std::string_view bytes)> bytes;
  /// That many bytes have been read, whether or not they are wanted. May be empty.
  std::function<Status(uint64_t bytes)> cost = {};
};

/// Parses the raw content of one block of aggregated logs: records whose key is a container and
/// whose value is its log files, each preceded by name and length. Bytes may come in any pieces, so
/// that no log needs to fit into memory. One parser per block.
class ContainerLogParser {
 public:
  explicit ContainerLogParser(const ContainerLogSink& sink) : sink_(&sink) {}

  /// Corrupt for anything that is not a block of logs.
  [[nodiscard]] Status feed(std::string_view raw);
  /// Returns whether the block could end here.
  [[nodiscard]] bool is_between_records() const {
    return state_ == State::KeyBytes && held_.empty();
  }

 private:
  enum class State : uint8_t { KeyBytes, Key, ChunkBytes, Chunk };
  enum class ValueState : uint8_t { Name, Length, Content };

  [[nodiscard]] Result<size_t> take(std::string_view raw);
  [[nodiscard]] Result<size_t> take_key_length(std::string_view raw);
  [[nodiscard]] size_t take_key(std::string_view raw);
  [[nodiscard]] size_t take_chunk_length(std::string_view raw);
  [[nodiscard]] Result<size_t> take_chunk(std::string_view raw);
  [[nodiscard]] size_t take_number(std::string_view raw, int64_t& value);
  [[nodiscard]] size_t hold(std::string_view raw, size_t wanted);
  [[nodiscard]] Status take_value(std::string_view bytes);
  [[nodiscard]] Result<size_t> take_field(std::string_view bytes);
  void end_chunk();

  const ContainerLogSink* sink_;
  State state_ = State::KeyBytes;
  std::string held_;        ///< The beginning of an incomplete part.
  uint64_t remaining_ = 0;  ///< Of the key or the chunk.
  bool last_chunk_ = false;
  std::string container_;  ///< "" for records that are no container's logs.
  ValueState value_state_ = ValueState::Name;
  std::string value_held_;
  std::string file_;
  uint64_t content_left_ = 0;
  bool wanted_ = false;
};

}  // namespace muster::cluster::yarn
