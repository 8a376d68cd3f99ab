#pragma once

#include "base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace muster::hadoop::hdfs {

/// Returns true if `text` has a wildcard: an unescaped `*`, `?`, `[` or `{`, or an escape.
[[nodiscard]] bool has_wildcard(std::string_view text);

/// Returns `text` without its backslash escapes: the one name that a text without wildcards means.
[[nodiscard]] std::string unescape(std::string_view text);

/// Expands the alternatives of `{a,b/c}`, nested ones too: "x{1,2}" → "x1", "x2". Braces within
/// `[...]` and after a backslash are plain. Errors (blame User): a brace that is never closed, more
/// than 1,000 results.
[[nodiscard]] Result<std::vector<std::string>> expand_braces(std::string_view pattern);

/// Returns whether one name matches a pattern of one path part: `*` any characters, `?` one,
/// `[abc]`,
/// `[a-z]`, `[^a]` or `[!a]` one of (not of) a set, `\c` c itself. Characters are those of UTF-8. A
/// set that is never closed matches a plain `[`.
[[nodiscard]] bool matches(std::string_view pattern, std::string_view name);

}  // namespace muster::hadoop::hdfs
