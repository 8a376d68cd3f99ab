#include "stacks/pickle.h"

#include <fmt/format.h>

#include <bit>
#include <limits>
#include <map>
#include <optional>
#include <utility>

namespace muster::stacks {
namespace {

/// The instructions that make plain values, in all protocols.
enum class Op : uint8_t {
  Mark = '(',
  Stop = '.',
  Pop = '0',
  PopMark = '1',
  None = 'N',
  BinInt = 'J',
  BinInt1 = 'K',
  BinInt2 = 'M',
  BinFloat = 'G',
  BinUnicode = 'X',
  ShortBinBytes = 'C',
  BinBytes = 'B',
  EmptyList = ']',
  Append = 'a',
  Appends = 'e',
  EmptyDict = '}',
  SetItem = 's',
  SetItems = 'u',
  EmptyTuple = ')',
  Tuple = 't',
  BinPut = 'q',
  LongBinPut = 'r',
  BinGet = 'h',
  LongBinGet = 'j',
  Proto = 0x80,
  Tuple1 = 0x85,
  Tuple2 = 0x86,
  Tuple3 = 0x87,
  NewTrue = 0x88,
  NewFalse = 0x89,
  Long1 = 0x8a,
  ShortBinUnicode = 0x8c,
  BinUnicode8 = 0x8d,
  Memoize = 0x94,
  Frame = 0x95,
};

Error corrupt(std::string why) { return {Errc::Corrupt, Blame::User, std::move(why)}; }

}  // namespace

class Pickle::Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  Result<Pickle> run();

 private:
  [[nodiscard]] Status step(Op op);
  [[nodiscard]] Status memo_step(Op op);
  [[nodiscard]] Status collect(Op op);
  [[nodiscard]] Result<std::string_view> take(uint64_t count);
  /// Reads a little-endian number of this many bytes.
  [[nodiscard]] Result<uint64_t> number(size_t count);
  [[nodiscard]] Result<int64_t> long_number();
  [[nodiscard]] Status text(size_t length_bytes);
  [[nodiscard]] Status push(Value value);
  [[nodiscard]] Status integer(int64_t value) {
    return push({.kind = Kind::Integer, .integer = value, .items = {}});
  }
  /// Takes what was put on the stack since the last mark.
  [[nodiscard]] Result<std::vector<uint32_t>> since_mark();
  [[nodiscard]] Result<std::vector<uint32_t>> last(size_t count);
  /// Adds items to the container that is now on top.
  [[nodiscard]] Status add(Kind kind, const std::vector<uint32_t>& items);

  std::string_view bytes_;
  size_t at_ = 0;
  std::vector<Value> values_;
  size_t items_ = 0;  ///< In all containers together.
  std::vector<uint32_t> stack_;
  std::vector<size_t> marks_;
  std::map<uint64_t, uint32_t> memo_;
};

Result<std::string_view> Pickle::Reader::take(uint64_t count) {
  if (count > bytes_.size() - at_) {
    return corrupt("it is cut off");
  }
  at_ += count;
  return bytes_.substr(at_ - count, count);
}

Result<uint64_t> Pickle::Reader::number(size_t count) {
  MUSTER_TRY(const std::string_view bytes, take(count));
  uint64_t value = 0;
  for (size_t i = 0; i < count; ++i) {
    value |= uint64_t{static_cast<uint8_t>(bytes[i])} << (8 * i);
  }
  return value;
}

Result<int64_t> Pickle::Reader::long_number() {
  MUSTER_TRY(const uint64_t count, number(1));
  if (count > sizeof(int64_t)) {
    MUSTER_TRY([[maybe_unused]] const std::string_view skipped, take(count));
    return std::numeric_limits<int64_t>::max();  // No number that is looked at is this large.
  }
  MUSTER_TRY(const uint64_t value, number(count));
  const unsigned unused = 64 - (8 * static_cast<unsigned>(count));
  return count == 0 ? 0 : static_cast<int64_t>(value << unused) >> unused;
}

Status Pickle::Reader::push(Value value) {
  if (values_.size() >= kPickleValuesMax) {
    return corrupt("it has too many values");
  }
  stack_.push_back(static_cast<uint32_t>(values_.size()));
  values_.push_back(std::move(value));
  return {};
}

Status Pickle::Reader::text(size_t length_bytes) {
  MUSTER_TRY(const uint64_t length, number(length_bytes));
  MUSTER_TRY(const std::string_view bytes, take(length));
  return push({.kind = Kind::Text, .text = std::string(bytes), .items = {}});
}

Result<std::vector<uint32_t>> Pickle::Reader::last(size_t count) {
  if (stack_.size() < count + (marks_.empty() ? 0 : marks_.back())) {
    return corrupt("its stack is too small");
  }
  std::vector<uint32_t> items(stack_.end() - static_cast<ptrdiff_t>(count), stack_.end());
  stack_.resize(stack_.size() - count);
  return items;
}

Result<std::vector<uint32_t>> Pickle::Reader::since_mark() {
  if (marks_.empty() || marks_.back() > stack_.size()) {
    return corrupt("it has no mark");
  }
  Result<std::vector<uint32_t>> items = last(stack_.size() - marks_.back());
  marks_.pop_back();
  return items;
}

Status Pickle::Reader::add(Kind kind, const std::vector<uint32_t>& items) {
  if (stack_.empty() || values_[stack_.back()].kind != kind ||
      (kind == Kind::Dictionary && items.size() % 2 != 0)) {
    return corrupt("it adds items to what takes none");
  }
  items_ += items.size();
  if (items_ > kPickleValuesMax) {
    return corrupt("it has too many values");
  }
  std::vector<uint32_t>& all = values_[stack_.back()].items;
  all.insert(all.end(), items.begin(), items.end());
  return {};
}

/// Collects lists, tuples and dictionaries.
Status Pickle::Reader::collect(Op op) {
  const auto tuple = [this](Result<std::vector<uint32_t>> items) -> Status {
    MUSTER_TRY(std::vector<uint32_t> taken, std::move(items));
    MUSTER_TRY_STATUS(push({.kind = Kind::List, .items = {}}));
    return add(Kind::List, taken);
  };
  const auto put = [this](Kind kind, Result<std::vector<uint32_t>> items) -> Status {
    MUSTER_TRY(const std::vector<uint32_t> taken, std::move(items));
    return add(kind, taken);
  };
  switch (static_cast<uint8_t>(op)) {
    case static_cast<uint8_t>(Op::EmptyList):
    case static_cast<uint8_t>(Op::EmptyTuple):
      return push({.kind = Kind::List, .items = {}});
    case static_cast<uint8_t>(Op::EmptyDict):
      return push({.kind = Kind::Dictionary, .items = {}});
    case static_cast<uint8_t>(Op::Append):
      return put(Kind::List, last(1));
    case static_cast<uint8_t>(Op::Appends):
      return put(Kind::List, since_mark());
    case static_cast<uint8_t>(Op::SetItem):
      return put(Kind::Dictionary, last(2));
    case static_cast<uint8_t>(Op::SetItems):
      return put(Kind::Dictionary, since_mark());
    case static_cast<uint8_t>(Op::Tuple):
      return tuple(since_mark());
    case static_cast<uint8_t>(Op::Tuple1):
      return tuple(last(1));
    case static_cast<uint8_t>(Op::Tuple2):
      return tuple(last(2));
    case static_cast<uint8_t>(Op::Tuple3):
      return tuple(last(3));
    default:
      return corrupt(fmt::format("it holds more than plain values (instruction 0x{:02x})",
                                 static_cast<unsigned>(op)));
  }
}

Status Pickle::Reader::memo_step(Op op) {
  if (op == Op::BinGet || op == Op::LongBinGet) {
    MUSTER_TRY(const uint64_t place, number(op == Op::BinGet ? 1 : 4));
    const auto found = memo_.find(place);
    if (found == memo_.end()) {
      return corrupt("it wants a value that was not kept");
    }
    stack_.push_back(found->second);
    return stack_.size() > kPickleValuesMax ? corrupt("it has too many values") : Status();
  }
  uint64_t place = memo_.size();
  if (op != Op::Memoize) {
    MUSTER_TRY(place, number(op == Op::BinPut ? 1 : 4));
  }
  if (stack_.empty()) {
    return corrupt("its stack is too small");
  }
  memo_[place] = stack_.back();
  return {};
}

Status Pickle::Reader::step(Op op) {
  switch (static_cast<uint8_t>(op)) {
    case static_cast<uint8_t>(Op::Proto):
    case static_cast<uint8_t>(Op::Frame): {
      MUSTER_TRY([[maybe_unused]] const std::string_view skipped, take(op == Op::Proto ? 1 : 8));
      return {};
    }
    case static_cast<uint8_t>(Op::Mark):
      marks_.push_back(stack_.size());
      return marks_.size() > kPickleValuesMax ? corrupt("it has too many marks") : Status();
    case static_cast<uint8_t>(Op::Pop): {
      MUSTER_TRY([[maybe_unused]] const std::vector<uint32_t> dropped, last(1));
      return {};
    }
    case static_cast<uint8_t>(Op::PopMark): {
      MUSTER_TRY([[maybe_unused]] const std::vector<uint32_t> dropped, since_mark());
      return {};
    }
    case static_cast<uint8_t>(Op::None):
      return push({.kind = Kind::Nothing, .items = {}});
    case static_cast<uint8_t>(Op::NewTrue):
    case static_cast<uint8_t>(Op::NewFalse):
      return push({.kind = Kind::Truth, .integer = op == Op::NewTrue ? 1 : 0, .items = {}});
    case static_cast<uint8_t>(Op::BinInt): {
      MUSTER_TRY(const uint64_t value, number(4));
      return integer(static_cast<int32_t>(static_cast<uint32_t>(value)));
    }
    case static_cast<uint8_t>(Op::BinInt1):
    case static_cast<uint8_t>(Op::BinInt2): {
      MUSTER_TRY(const uint64_t value, number(op == Op::BinInt1 ? 1 : 2));
      return integer(static_cast<int64_t>(value));
    }
    case static_cast<uint8_t>(Op::Long1): {
      MUSTER_TRY(const int64_t value, long_number());
      return integer(value);
    }
    case static_cast<uint8_t>(Op::BinFloat): {
      MUSTER_TRY(const uint64_t bits, number(8));
      return push({.kind = Kind::Float,
                   .number = std::bit_cast<double>(__builtin_bswap64(bits)),
                   .items = {}});
    }
    case static_cast<uint8_t>(Op::ShortBinUnicode):
    case static_cast<uint8_t>(Op::ShortBinBytes):
      return text(1);
    case static_cast<uint8_t>(Op::BinUnicode):
    case static_cast<uint8_t>(Op::BinBytes):
      return text(4);
    case static_cast<uint8_t>(Op::BinUnicode8):
      return text(8);
    case static_cast<uint8_t>(Op::BinPut):
    case static_cast<uint8_t>(Op::LongBinPut):
    case static_cast<uint8_t>(Op::Memoize):
    case static_cast<uint8_t>(Op::BinGet):
    case static_cast<uint8_t>(Op::LongBinGet):
      return memo_step(op);
    default:
      return collect(op);
  }
}

Result<Pickle> Pickle::Reader::run() {
  if (bytes_.size() > kPickleBytesMax) {
    return corrupt("it is too large");
  }
  while (true) {
    MUSTER_TRY(const uint64_t code, number(1));
    if (code == static_cast<uint8_t>(Op::Stop)) {
      break;
    }
    MUSTER_TRY_STATUS(step(static_cast<Op>(code)));
  }
  if (stack_.empty()) {
    return corrupt("it holds nothing");
  }
  Pickle pickle;
  pickle.root_ = stack_.back();
  pickle.values_ = std::move(values_);
  return pickle;
}

Result<Pickle> Pickle::read(std::string_view bytes) { return Reader(bytes).run(); }

const Pickle::Value* Pickle::find(const Value& from, std::string_view key) const {
  if (from.kind != Kind::Dictionary) {
    return nullptr;
  }
  for (size_t i = 0; i + 1 < from.items.size(); i += 2) {
    const Value& name = values_[from.items[i]];
    if (name.kind == Kind::Text && name.text == key) {
      return &values_[from.items[i + 1]];
    }
  }
  return nullptr;
}

}  // namespace muster::stacks
