#pragma once

#include "base/result.h"
#include "spec/spec.h"
#include "tony/flags.h"
#include "tony/properties.h"

#include <string>
#include <string_view>
#include <vector>

namespace muster::tony {

/// A setting of a TonY job that the specification does not have, and what to do about it.
struct Note {
  std::string name;  ///< "tony.am.memory", "-hdfs_classpath".
  std::string text;

  bool operator==(const Note&) const = default;
};

/// A TonY job as it was found.
struct Input {
  std::vector<Property> properties;  ///< Of tony.xml and tony-site.xml, in the order they count.
  Flags flags;
  /// The names in `-src_dir`, folders with a slash behind them; empty if it is an archive,
  /// elsewhere or was not looked at.
  std::vector<std::string> source_entries;
};

struct Converted {
  spec::Spec spec;
  std::vector<Note> notes;  ///< In the order of names.
};

/// Makes a specification of a TonY job. Every setting is in it or in the notes. Errors: values that
/// cannot be read, and a job without any command, with file and line.
[[nodiscard]] Result<Converted> convert(const Input& input);

/// The notes, as comments that stand above the specification.
[[nodiscard]] std::string render_notes(const Converted& converted);

/// The specification as YAML below its notes.
[[nodiscard]] std::string render(const Converted& converted);

/// TonY's sizes: "2048" (MB), "2048m", "2g", "2gb", whatever their case.
[[nodiscard]] Result<uint64_t> parse_memory(std::string_view text);

/// TonY's way to name a file: SRC[::NAME][#archive].
[[nodiscard]] Result<spec::File> parse_resource(std::string_view text);

}  // namespace muster::tony
