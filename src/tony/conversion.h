#pragma once

#include "base/result.h"
#include "spec/spec.h"
#include "tony/flags.h"
#include "tony/properties.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::tony {

/// A remark about a setting of a TonY job.
struct Note {
  enum class Kind : uint8_t {
    NoObject,  ///< There is nothing here that it could be about.
    Differs,   ///< Something is done in another way, or not at all.
    Doubtful,  ///< It is done as TonY did it, and is hardly what is meant.
    Unknown,   ///< No version of TonY knows it.
  };
  std::string name;  ///< "tony.am.memory", "-hdfs_classpath".
  std::string text;
  Kind kind = Kind::Differs;

  bool operator==(const Note&) const = default;
};

/// A TonY job as it was found.
struct Input {
  std::vector<Property> properties;  ///< Of tony.xml.
  std::vector<Property> site;        ///< Of tony-site.xml, above tony.xml.
  Flags flags;
  /// The names in `-src_dir`, folders with a trailing slash; empty if it is an archive, elsewhere
  /// or was not examined.
  std::vector<std::string> source_entries;
  /// Returns whether tasks find a program of the sources, by its path in them, without its
  /// executable bit, which TonY sets. Nothing: not examined.
  std::function<bool(const std::string&)> lacks_mode;
  /// What `${...}` in settings may name: "user.name", "env.HOME".
  std::map<std::string, std::string> variables;
};

struct Converted {
  spec::Spec spec;
  /// A framework that no enumerator names, in the form of the site's files; otherwise empty.
  std::string framework_file;
  /// What TonY runs in its master before it requests the tasks: a job of its own, with one task.
  std::optional<spec::Spec> preprocessing;
  /// Files of Hadoop's configuration on this machine, to be laid over that of the client, in order.
  std::vector<std::string> hadoop_files;
  /// All settings with their effective values, and the flags that were given, sorted by name.
  std::vector<Property> settings;
  std::vector<Note> notes;  ///< In the order of names.
};

/// Makes a specification from a TonY job. Every setting is in it or in the notes. Errors: values
/// that cannot be parsed, and a job without any command, with file and line.
[[nodiscard]] Result<Converted> convert(const Input& input);

/// Returns the lines above the specification: the notes, as comments, and the framework if it is
/// defined by a file.
[[nodiscard]] std::string render_head(const Converted& converted);

/// The specification as YAML below its notes.
[[nodiscard]] std::string render(const Converted& converted);

/// Says what became of each setting and flag of the job.
[[nodiscard]] std::string explain(const Converted& converted);

/// Parses TonY's sizes: "2048" (MB), "2048m", "2g", "2gb", in any case.
[[nodiscard]] Result<uint64_t> parse_memory(std::string_view text);

/// Parses TonY's notation for files: SRC[::NAME][#archive].
[[nodiscard]] Result<spec::File> parse_resource(std::string_view text);

}  // namespace muster::tony
