#include "client/measure/sample_files.h"

#include "cluster/sample_store.h"
#include "job/describe.h"
#include "metrics/block_file.h"
#include "metrics/history.h"
#include "metrics/retention.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace muster::client {
namespace {

Error too_many_points(size_t points_max) {
  return user_error(
      fmt::format("that is more than {}: name tasks or metrics, or ask for a longer step",
                  job::count_of(points_max, "value")));
}

}  // namespace

Result<SampleFiles> SampleFiles::read(os::Files& files, const os::Path& folder) {
  SampleFiles samples;
  const Result<std::vector<os::FolderEntry>> entries = files.list(folder);
  if (!entries) {
    return entries.error().code == Errc::NotFound ? Result<SampleFiles>(std::move(samples))
                                                  : entries.error();
  }
  for (const os::FolderEntry& entry : *entries) {
    if (!metrics::parse_sample_file(entry.name)) {
      continue;
    }
    MUSTER_TRY(const std::string content,
               files.read(folder / entry.name, cluster::kSampleFileBytesMax));
    const size_t known = samples.damages_.size();
    samples.take(content);
    for (size_t i = known; i < samples.damages_.size(); ++i) {
      samples.damages_[i] = (folder / entry.name).string() + ": " + samples.damages_[i];
    }
  }
  return samples;
}

void SampleFiles::take(std::string_view content) {
  metrics::BlockFile file(content);
  while (const std::optional<std::string_view> block = file.next()) {
    const Result<metrics::BlockView> view = metrics::BlockView::open(*block);
    if (view && view->step_s() == 1) {
      seconds_begin_ = std::min(seconds_begin_, view->start_s());
      end_s_ = std::max(end_s_, view->start_s() + int64_t{view->times()});
    }
    blocks_.emplace_back(*block);
  }
  damages_.insert(damages_.end(), file.damages().begin(), file.damages().end());
}

int64_t SampleFiles::minutes_before_s() const {
  return metrics::floor_time(seconds_begin_, metrics::kSteps.back());
}

Result<std::vector<metrics::Series>> SampleFiles::series(const metrics::Query& query,
                                                         const std::vector<std::string>& live,
                                                         size_t points_max) const {
  metrics::SeriesReader fine(query);
  metrics::Query before = query;
  before.step_s = 60;
  before.until_s = query.step_s < before.step_s ? minutes_before_s() : INT64_MIN;
  metrics::SeriesReader coarse(before);
  for (const auto* const blocks : {&blocks_, &live}) {
    for (const std::string& block : *blocks) {
      fine.add(block);
      coarse.add(block);
      if (fine.points() + coarse.points() > points_max) {
        return too_many_points(points_max);
      }
    }
  }
  std::vector<metrics::Series> all = coarse.take();
  for (metrics::Series& series : fine.take()) {
    const auto earlier = std::ranges::find_if(all, [&](const metrics::Series& one) {
      return one.subject == series.subject && one.metric == series.metric;
    });
    if (earlier == all.end()) {
      all.push_back(std::move(series));
    } else {
      earlier->points.insert(earlier->points.end(), series.points.begin(), series.points.end());
    }
  }
  std::ranges::sort(all, [](const metrics::Series& one, const metrics::Series& other) {
    return std::tie(one.subject, one.metric) < std::tie(other.subject, other.metric);
  });
  return all;
}

std::vector<metrics::Metric> SampleFiles::names() const {
  std::set<metrics::Metric> names;
  for (const std::string& block : blocks_) {
    const Result<metrics::BlockView> view = metrics::BlockView::open(block);
    for (size_t i = 0; view && i < view->columns(); ++i) {
      names.insert(view->metric(i));
    }
  }
  return {names.begin(), names.end()};
}

}  // namespace muster::client
