#include "base/check.h"
#include "spec/keys/key_units.h"
#include "spec/keys/keys.h"
#include "spec/names.h"
#include "spec/read/codec.h"

#include <array>
#include <chrono>
#include <span>

// The keys of a site file that are not keys of a specification.

namespace muster::spec {
namespace {

constexpr std::string_view kNoLimit = "no limit";

}  // namespace

std::string_view to_string(ClusterType value) {
  switch (value) {
    case ClusterType::Local:
      return "local";
    case ClusterType::Yarn:
      return "yarn";
    case ClusterType::Spark:
      return "spark";
  }
  MUSTER_CHECK(false, "unknown ClusterType");
}

std::string_view to_string(Reach value) {
  switch (value) {
    case Reach::Exec:
      return "exec";
    case Reach::Shell:
      return "shell";
    case Reach::Cp:
      return "cp";
    case Reach::Forward:
      return "forward";
    case Reach::Debug:
      return "debug";
    case Reach::Notebook:
      return "notebook";
  }
  MUSTER_CHECK(false, "unknown Reach");
}

std::span<const Row> limits_rows() {
  static constexpr std::array kRows = {
      row<&Limits::tasks>("tasks",
                          {.doc = "The most tasks of a job.", .unset = kNoLimit, .min = 1}),
      row<&Limits::memory>("memory", {.doc = "The most memory of one task.", .unset = kNoLimit}),
      row<&Limits::vcores>("vcores",
                           {.doc = "The most cores of one task.", .unset = kNoLimit, .min = 1}),
      row<&Limits::gpus>("gpus", {.doc = "The most GPUs of one task.", .unset = kNoLimit}),
      row<&Limits::total_memory>(
          "total_memory",
          {.doc = "The most memory of all tasks of a job together.", .unset = kNoLimit}),
      row<&Limits::total_vcores>(
          "total_vcores",
          {.doc = "The most cores of all tasks of a job together.", .unset = kNoLimit}),
      row<&Limits::total_gpus>(
          "total_gpus",
          {.doc = "The most GPUs of all tasks of a job together.", .unset = kNoLimit}),
      row<&Limits::run>("run",
                        {.doc = "The longest deadlines.run; a job without one is refused as well.",
                         .unset = kNoLimit})};
  return kRows;
}

std::span<const Row> cluster_rows() {
  static constexpr std::array kRows = {
      row<&ClusterEntry::type>("type", {.doc = "The kind of cluster.", .required = true}),
      row<&ClusterEntry::conf>("conf",
                               {.doc = "The folder with its configuration, as in /etc/hadoop/prod.",
                                .unset = "where the cluster's own tools look",
                                .check = wrong_line})};
  return kRows;
}

std::span<const Row> forbidden_rows() {
  static constexpr std::array kRows = {
      row<&Prohibition::verbs>("verbs",
                               {.doc = "The commands that this rule forbids; debug covers muster "
                                       "stacks, too.",
                                .unset = "all of them",
                                .also = "verb commands command"}),
      row<&Prohibition::queues>("queues", {.doc = "Only for jobs whose yarn.queue is one of these.",
                                           .unset = "all queues",
                                           .check = wrong_word,
                                           .also = "queue"}),
      row<&Prohibition::roles>("roles", {.doc = "Only for tasks of these roles.",
                                         .unset = "all roles",
                                         .check = wrong_role_name,
                                         .also = "role"}),
      row<&Prohibition::why>("why", {.doc = "The reason that is shown to those who are refused.",
                                     .check = wrong_line,
                                     .also = "reason"})};
  return kRows;
}

std::span<const Row> portal_rows() {
  static constexpr std::array kRows = {row<&PortalRules::admins>(
      "admins", {.doc = "The users who may see every job in `muster portal --serve`.",
                 .unset = "nobody",
                 .check = wrong_word,
                 .also = "admin"})};
  return kRows;
}

std::span<const Row> cleaning_rows() {
  static constexpr std::array kRows = {
      row<&Cleaning::older>(
          "older",
          {.doc = "How long ended jobs are kept. Older ones are removed by the first submission of "
                  "a day and by muster clean; with `none` only by muster clean, after 30 days.",
           .min = kSecond,
           .none = true}),
      row<&Cleaning::over>("over", {.doc = "How much space the jobs on one machine may take. Above "
                                           "that, the oldest ended jobs are removed as well.",
                                    .min = 1})};
  return kRows;
}

}  // namespace muster::spec
