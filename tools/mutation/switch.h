// Included first by every generated copy of a source (-include). A mutation is a call of one of
// these functions with the mutation's number: it does what the source says unless that number is
// the active one, $MUTANT. Constant evaluation is never mutated.
//
// If $MUTANT_TRACE names a file, each mutation notes there that it was reached, and whether
// it would have made a difference: tests for which it would not cannot catch it.

#pragma once

#include <cstdint>
#include <cstdlib>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster_mutants {

inline constexpr std::uint8_t kReached = 1;
inline constexpr std::uint8_t kDiffers = 2;

struct Trace {
  std::uint8_t* marks = nullptr;
  std::uint32_t size = 0;
};

inline std::uint32_t active_of_environment() {
  const char* const text = std::getenv("MUTANT");
  return text == nullptr ? 0 : static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10));
}

inline Trace trace_of_environment() {
  const char* const path = std::getenv("MUTANT_TRACE");
  const int file = path == nullptr ? -1 : ::open(path, O_RDWR | O_CLOEXEC);
  struct stat found = {};
  if (file < 0 || ::fstat(file, &found) != 0 || found.st_size == 0) {
    return {};
  }
  void* const map = ::mmap(nullptr, static_cast<std::size_t>(found.st_size), PROT_READ | PROT_WRITE,
                           MAP_SHARED, file, 0);
  ::close(file);
  return map == MAP_FAILED
             ? Trace{}
             : Trace{static_cast<std::uint8_t*>(map), static_cast<std::uint32_t>(found.st_size)};
}

// Code that runs before these are initialised runs unmutated.
inline std::uint32_t active = active_of_environment();
inline Trace trace = trace_of_environment();

inline void mark(std::uint32_t number, bool differs) {
  if (trace.marks != nullptr && number < trace.size) {
    trace.marks[number] |= differs ? kReached | kDiffers : kReached;
  }
}

/// Whether a mutation is active that may or may not differ from the original, unknown beforehand.
constexpr bool on(std::uint32_t number) {
  if consteval {
    return false;
  }
  mark(number, true);
  return active == number;
}

constexpr bool negated(std::uint32_t number, bool value) {
  if consteval {
    return value;
  }
  mark(number, true);
  return value != (active == number);
}

constexpr bool always(std::uint32_t number, bool value) {
  if consteval {
    return value;
  }
  mark(number, !value);
  return value || active == number;
}

constexpr bool never(std::uint32_t number, bool value) {
  if consteval {
    return value;
  }
  mark(number, value);
  return value && active != number;
}

#define MUSTER_MUTANTS_RELATION(NAME, OP, NEAR, OPPOSITE)                                   \
  template <class A, class B>                                                               \
  constexpr bool NAME(std::uint32_t near, std::uint32_t opposite, const A& a, const B& b) { \
    const bool value = static_cast<bool>(a OP b);                                           \
    if consteval {                                                                          \
      return value;                                                                         \
    }                                                                                       \
    if (trace.marks != nullptr) {                                                           \
      mark(near, static_cast<bool>(a NEAR b) != value);                                     \
      mark(opposite, true);                                                                 \
    }                                                                                       \
    return active == near       ? static_cast<bool>(a NEAR b)                               \
           : active == opposite ? static_cast<bool>(a OPPOSITE b)                           \
                                : value;                                                    \
  }
MUSTER_MUTANTS_RELATION(less, <, <=, >=)
MUSTER_MUTANTS_RELATION(less_equal, <=, <, >)
MUSTER_MUTANTS_RELATION(greater, >, >=, <=)
MUSTER_MUTANTS_RELATION(greater_equal, >=, >, <)
#undef MUSTER_MUTANTS_RELATION

#define MUSTER_MUTANTS_EQUALITY(NAME, OP)                             \
  template <class A, class B>                                         \
  constexpr bool NAME(std::uint32_t number, const A& a, const B& b) { \
    return negated(number, static_cast<bool>(a OP b));                \
  }
MUSTER_MUTANTS_EQUALITY(equal, ==)
MUSTER_MUTANTS_EQUALITY(not_equal, !=)
#undef MUSTER_MUTANTS_EQUALITY

#define MUSTER_MUTANTS_ARITHMETIC(NAME, OP, OTHER)                                        \
  template <class A, class B>                                                             \
  constexpr auto NAME(std::uint32_t number, const A& a, const B& b) -> decltype(a OP b) { \
    if consteval {                                                                        \
      return a OP b;                                                                      \
    }                                                                                     \
    mark(number, true);                                                                   \
    return active == number ? static_cast<decltype(a OP b)>(a OTHER b) : a OP b;          \
  }
MUSTER_MUTANTS_ARITHMETIC(plus, +, -)
MUSTER_MUTANTS_ARITHMETIC(minus, -, +)
MUSTER_MUTANTS_ARITHMETIC(times, *, /)
MUSTER_MUTANTS_ARITHMETIC(divided, /, *)
MUSTER_MUTANTS_ARITHMETIC(modulo, %, /)
#undef MUSTER_MUTANTS_ARITHMETIC

template <class A, class B>
constexpr A& add(std::uint32_t number, A& a, const B& b) {
  if (on(number)) {
    a -= b;
    return a;
  }
  a += b;
  return a;
}

template <class A, class B>
constexpr A& subtract(std::uint32_t number, A& a, const B& b) {
  if (on(number)) {
    a += b;
    return a;
  }
  a -= b;
  return a;
}

template <class A>
constexpr A& increment(std::uint32_t number, A& a) {
  return on(number) ? --a : ++a;
}

template <class A>
constexpr A& decrement(std::uint32_t number, A& a) {
  return on(number) ? ++a : --a;
}

template <class A>
constexpr A constant(std::uint32_t number, A value, A other) {
  if consteval {
    return value;
  }
  mark(number, value != other);
  return active == number ? other : value;
}

}  // namespace muster_mutants
