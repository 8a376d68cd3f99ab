#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// What programs that are not in Python say: stack traces of the JVM, launchers' prefixes, lines
/// that look like an error.
namespace muster::verdict {

/// Returns whether a line never says why: frames of the JVM and of C++, rulers, rows of numbers.
[[nodiscard]] bool is_stack_noise(std::string_view line);

/// Returns whether a line looks like an error: it has a word for one, or names an exception.
[[nodiscard]] bool looks_like_error(std::string_view line);

/// Returns whether a line is "a.b.SomeError: text" or a bare "SomeError", possibly indented.
[[nodiscard]] bool names_exception(std::string_view line);

/// Returns the exceptions of the stack traces near the end of `lines`, outermost first; the last
/// one is the root cause. Empty if there are none.
[[nodiscard]] std::vector<std::string> find_jvm_errors(const std::vector<std::string>& lines);

/// Removes what launchers and loggers write before every line of a traceback ("(pid=7) "), and
/// turns a notebook's header into an ordinary one.
void strip_prefixes(std::vector<std::string>& lines);

}  // namespace muster::verdict
