#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// What programs say that are not Python's: stack traces of the JVM, launchers' prefixes, lines
/// that look like an error.
namespace muster::verdict {

/// True for lines that never say why: frames of the JVM and of C++, rulers, rows of numbers.
[[nodiscard]] bool is_stack_noise(std::string_view line);

/// True for a line that looks like an error: it has a word for one, or names an exception.
[[nodiscard]] bool looks_like_error(std::string_view line);

/// True for "a.b.SomeError: text" or a bare "SomeError", also indented.
[[nodiscard]] bool names_exception(std::string_view line);

/// The exceptions of the stack traces near the end of `lines`, outermost first; the last one is the
/// root cause. Empty if there is none.
[[nodiscard]] std::vector<std::string> find_jvm_errors(const std::vector<std::string>& lines);

/// Takes away what launchers and loggers write before every line of a traceback ("(pid=7) "), and
/// makes a notebook's header an ordinary one.
void strip_prefixes(std::vector<std::string>& lines);

}  // namespace muster::verdict
