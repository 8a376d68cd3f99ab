#pragma once

#include "base/check.h"
#include "base/text.h"
#include "job/failure.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

/// Failures that other people reported, labelled before they were classified: test/verdict/reports.
namespace muster::verdict {

/// What should be done about a failure, as judged by people.
struct Decision {
  bool user = false;       ///< The program, its input or its environment is wrong.
  bool retry = false;      ///< Trying again can help.
  bool elsewhere = false;  ///< The host should be avoided.

  bool operator==(const Decision&) const = default;
};

[[nodiscard]] inline Decision decision_of(const job::Failure& failure) {
  return {.user = failure.kind == job::FailureKind::User,
          .retry = failure.remedy != job::Remedy::GiveUp,
          .elsewhere = failure.remedy == job::Remedy::Elsewhere};
}

/// One report: where it comes from, which classes are right for it, how it ended, what it said.
struct Report {
  std::string source;  ///< "owner/repository#thread".
  std::vector<std::string> labels;
  job::Exit exit;
  std::string output;
};

[[nodiscard]] inline std::filesystem::path reports_folder() {
  return std::filesystem::path(MUSTER_SOURCE_DIR) / "test/verdict/reports";
}

/// The sources whose misses have been read: rules may be made from them.
[[nodiscard]] inline const std::set<std::string, std::less<>>& read_sources() {
  static const std::set<std::string, std::less<>> kSources = [] {
    std::set<std::string, std::less<>> read;
    std::ifstream file(reports_folder() / "read");
    for (std::string source; file >> source;) {
      read.insert(source);
    }
    return read;
  }();
  return kSources;
}

/// Returns true for the half that no rule was made from. Decided by the source alone (FNV-1a), so
/// that a report cannot change sides, unless its miss was read.
[[nodiscard]] inline bool is_unseen(std::string_view source) {
  uint64_t hash = 14695981039346656037ULL;
  for (const char c : source) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  }
  return ((hash >> 32) & 1) == 1 && !read_sources().contains(source);
}

/// Reads "== SOURCE | CLASS[ or CLASS]... | CODE-or-sSIGNAL".
[[nodiscard]] inline Report read_header(std::string_view line) {
  const std::vector<std::string_view> parts = split(line.substr(3), '|');
  MUSTER_CHECK(parts.size() == 3, "a report begins with its source, its classes and its end");
  Report report;
  report.source = trim(parts[0]);
  std::string_view labels = trim(parts[1]);
  for (size_t at = labels.find(" or "); at != std::string_view::npos; at = labels.find(" or ")) {
    report.labels.emplace_back(labels.substr(0, at));
    labels.remove_prefix(at + 4);
  }
  report.labels.emplace_back(labels);
  std::string_view end = trim(parts[2]);
  const bool signalled = end.starts_with('s');
  end.remove_prefix(signalled ? 1 : 0);
  int32_t number = 0;
  std::from_chars(end.data(), end.data() + end.size(), number);
  (signalled ? report.exit.signal : report.exit.exit_code) = number;
  return report;
}

/// Returns all reports, in the order of the files.
[[nodiscard]] inline std::vector<Report> read_reports() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(reports_folder() / "corpus")) {
    if (entry.path().extension() == ".txt") {
      files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  std::vector<Report> reports;
  for (const std::filesystem::path& path : files) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with("== ") && split(line, '|').size() == 3) {
        reports.push_back(read_header(line));
      } else if (!reports.empty()) {
        reports.back().output += line + "\n";
      }
    }
  }
  return reports;
}

/// Reads what each label calls for: "CLASS user|- retry|- elsewhere|-".
[[nodiscard]] inline std::map<std::string, Decision, std::less<>> read_decisions() {
  std::map<std::string, Decision, std::less<>> decisions;
  std::ifstream file(reports_folder() / "decisions");
  std::string name;
  std::string user;
  std::string retry;
  std::string elsewhere;
  while (file >> name >> user >> retry >> elsewhere) {
    decisions[name] = {user == "user", retry == "retry", elsewhere == "elsewhere"};
  }
  return decisions;
}

}  // namespace muster::verdict
