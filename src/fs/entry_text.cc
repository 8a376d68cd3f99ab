#include "fs/entry_text.h"

#include "base/text.h"
#include "base/time.h"

#include <fmt/format.h>

#include <chrono>

namespace muster::fs {
namespace {

using hadoop::hdfs::FileStatus;
using hadoop::hdfs::FileType;

std::string iso(int64_t milliseconds) {
  return format_iso(WallTime(std::chrono::milliseconds(milliseconds)));
}

std::string_view type_name(FileType type) {
  switch (type) {
    case FileType::File:
      return "file";
    case FileType::Folder:
      return "folder";
    case FileType::Link:
      return "link";
  }
  return "file";
}

}  // namespace

std::string mode_text(const FileStatus& status) {
  constexpr std::string_view kLetters = "rwxrwxrwx";
  std::string mode(1, status.type == FileType::Folder ? 'd'
                      : status.type == FileType::Link ? 'l'
                                                      : '-');
  for (size_t i = 0; i < kLetters.size(); ++i) {
    mode += (status.permission & (0400U >> i)) != 0 ? kLetters[i] : '-';
  }
  if ((status.permission & 01000U) != 0) {
    mode.back() = mode.back() == 'x' ? 't' : 'T';
  }
  return mode;
}

std::string minute_text(int64_t milliseconds) {
  std::string text = iso(milliseconds).substr(0, 16);
  text[10] = ' ';
  return text;
}

std::string line_of(const FileStatus& status, std::string_view path, bool human) {
  const std::string replication =
      status.type == FileType::File ? std::to_string(status.replication) : "-";
  const std::string size =
      human ? format_bytes(status.size_bytes) : std::to_string(status.size_bytes);
  return fmt::format("{} {:>3} {:<8} {:<10} {:>10} {} {}", mode_text(status), replication,
                     printable(status.owner), printable(status.group), size,
                     minute_text(status.modified_ms), printable(path));
}

std::string json_of(const FileStatus& status, std::string_view path) {
  return fmt::format(
      R"({{"path":{},"type":"{}","size_bytes":{},"permission":"{:04o}","owner":{},"group":{},)"
      R"("replication":{},"block_bytes":{},"modified":"{}","accessed":{}}})",
      json_quote(path), type_name(status.type), status.size_bytes, status.permission,
      json_quote(status.owner), json_quote(status.group), status.replication, status.block_bytes,
      iso(status.modified_ms),
      status.accessed_ms == 0 ? "null" : fmt::format("\"{}\"", iso(status.accessed_ms)));
}

std::string details_of(const FileStatus& status, std::string_view path) {
  std::string text = fmt::format("path: {}\ntype: {}\n", printable(path), type_name(status.type));
  if (status.type == FileType::File) {
    text += fmt::format("size: {} ({} bytes)\nreplication: {}\nblock size: {}\n",
                        format_bytes(status.size_bytes), status.size_bytes, status.replication,
                        format_bytes(status.block_bytes));
  }
  text += fmt::format("permissions: {} ({:04o})\nowner: {}\ngroup: {}\nmodified: {}\n",
                      mode_text(status), status.permission, printable(status.owner),
                      printable(status.group), iso(status.modified_ms));
  if (status.accessed_ms != 0) {
    text += fmt::format("accessed: {}\n", iso(status.accessed_ms));
  }
  if (!status.erasure_coding.empty()) {
    text += fmt::format("erasure coding: {}\n", printable(status.erasure_coding));
  }
  if (status.encrypted) {
    text += "encrypted: yes\n";
  }
  return text;
}

}  // namespace muster::fs
