#pragma once

#include "base/result.h"
#include "base/time.h"
#include "job/plan.h"
#include "job/state.h"
#include "tracking/curves.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What an experiment tracker is told about a job, in the form of MLflow's REST API (2.0).
namespace muster::tracking {

/// What neither plan nor state knows.
struct Context {
  WallTime submitted{};
  std::string user;
  std::string on;              ///< The cluster's name.
  std::string application_id;  ///< "" for none.
  /// Values that must not appear, by the path of their key.
  std::map<std::string, std::string> secrets;
};

/// A parameter or a tag: short, printable, with a name that MLflow accepts.
struct Item {
  std::string key;
  std::string value;
  bool operator==(const Item&) const = default;
};

/// Returns what the job was asked to do: its framework, its roles' sizes, and the options
/// (`--epochs 5`) of its commands by name. What sounds secret is left out.
[[nodiscard]] std::vector<Item> parameters(const job::Plan& plan, const Context& context);

/// The tag by which a run is found again.
inline constexpr std::string_view kJobTag = "muster.job";
[[nodiscard]] std::vector<Item> tags(const job::Plan& plan, const Context& context);
/// Returns how the job came out: class, message, first cause.
[[nodiscard]] std::vector<Item> end_tags(const job::Plan& plan, const job::State& state,
                                         const Context& context);

/// Bodies of requests.
[[nodiscard]] std::string experiment_body(const std::string& name);
[[nodiscard]] std::string search_body(const std::string& experiment_id, const job::JobId& job);
[[nodiscard]] std::string create_body(const std::string& experiment_id, const job::Plan& plan,
                                      const Context& context);
/// Returns as many as the server's limits require; none if there is nothing to send.
[[nodiscard]] std::vector<std::string> batch_bodies(const std::string& run_id,
                                                    const std::vector<Item>& params,
                                                    const std::vector<Item>& tags,
                                                    const std::vector<CurvePoint>& points);
[[nodiscard]] std::string end_body(const std::string& run_id, job::JobResult result, WallTime end);

/// Returns the text at a path in a response: {"run": {"info": {"run_id": "..."}}}. Corrupt if it is
/// not there.
[[nodiscard]] Result<std::string> text_at(std::string_view document,
                                          const std::vector<std::string_view>& path);
/// The run that a search found, and the last second whose values it has; nullopt if there is none.
struct FoundRun {
  std::string id;
  int64_t logged_s = 0;
};
[[nodiscard]] Result<std::optional<FoundRun>> run_found(std::string_view document);
/// Returns the tag that says up to which second (since 1970) values were sent.
[[nodiscard]] Item logged_tag(int64_t until_s);

}  // namespace muster::tracking
