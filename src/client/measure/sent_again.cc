#include "client/measure/sent_again.h"

#include "cluster/sent_files.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace muster::client {
namespace {

std::optional<cluster::SentFiles> sent_by(os::Files& files, const cluster::JobFolder& job) {
  const Result<std::string> text = files.read(job.sent());
  Result<cluster::SentFiles> sent =
      text ? cluster::parse_sent_files(*text) : Result<cluster::SentFiles>(text.error());
  return sent ? std::optional(*std::move(sent)) : std::nullopt;
}

/// Returns `last` and what was sent before it under the same name, the newest first.
std::vector<cluster::SentFiles> submissions(os::Files& files, const cluster::JobFolder& job,
                                            const cluster::SentFiles& last) {
  std::vector<cluster::SentFiles> found = {last};
  const std::filesystem::path jobs = job.root().parent_path();
  const Result<std::vector<os::FolderEntry>> entries = files.list(jobs);
  for (const os::FolderEntry& entry : entries ? *entries : std::vector<os::FolderEntry>()) {
    const cluster::JobFolder other(jobs / entry.name);
    std::optional<cluster::SentFiles> sent =
        other.id() == job.id() ? std::nullopt : sent_by(files, other);
    if (sent && sent->job_name == last.job_name && sent->submitted <= last.submitted) {
      found.push_back(*std::move(sent));
    }
  }
  std::ranges::sort(found, std::greater(), &cluster::SentFiles::submitted);
  found.resize(std::min(found.size(), kSubmissionsCompared));
  return found;
}

}  // namespace

std::vector<account::StagedAgain> sent_again(os::Files& files, const cluster::JobFolder& job) {
  const std::optional<cluster::SentFiles> last = sent_by(files, job);
  if (!last) {
    return {};
  }
  const std::vector<cluster::SentFiles> all = submissions(files, job, *last);
  std::vector<account::StagedAgain> again;
  for (const cluster::SentFile& file : last->files) {
    std::set<std::string> contents;
    uint32_t sent = 0;
    for (const cluster::SentFiles& submission : all) {
      const auto same = std::ranges::find(submission.files, file.name, &cluster::SentFile::name);
      if (same != submission.files.end()) {
        contents.insert(same->content);
        ++sent;
      }
    }
    again.push_back({.name = std::filesystem::path(file.name).filename().string(),
                     .bytes = file.bytes,
                     .uploads = static_cast<uint32_t>(contents.size()),
                     .submissions = sent});
  }
  return again;
}

}  // namespace muster::client
