#include "hadoop/yarn/explanation.h"

#include "base/text.h"

#include <fmt/format.h>

#include <array>
#include <string>

namespace muster::hadoop::yarn {
namespace {

// What an exception means. The resource manager often wraps the real one in a YarnException whose
// message holds its name, so `sign` is looked for in both class and message. The first match
// counts.
struct Meaning {
  std::string_view sign;
  Errc code;
  Blame blame;
  std::string_view advice;
};

constexpr std::array kMeanings = {
    Meaning{.sign = "ApplicationNotFoundException",
            .code = Errc::NotFound,
            .blame = Blame::User,
            .advice = "the cluster forgets applications some time after they end"},
    Meaning{.sign = "ApplicationAttemptNotFoundException",
            .code = Errc::NotFound,
            .blame = Blame::Cluster,
            .advice = "the application has ended, or a later attempt of its master has taken over"},
    Meaning{.sign = "ContainerNotFoundException",
            .code = Errc::NotFound,
            .blame = Blame::User,
            .advice = "the cluster forgets containers some time after they end"},
    Meaning{.sign = "InvalidLabelResourceRequestException",
            .code = Errc::NeverFits,
            .blame = Blame::User,
            .advice = "choose a node label that the cluster has and the queue may use"},
    Meaning{.sign = "InvalidResourceRequestException",
            .code = Errc::NeverFits,
            .blame = Blame::User,
            .advice = "ask for less, or for resource types that the cluster has"},
    Meaning{.sign = "SchedulerInvalidResoureRequestException",
            .code = Errc::NeverFits,
            .blame = Blame::User,
            .advice = "the cluster's placement handler does not accept such a request"},
    Meaning{.sign = "nknown queue",
            .code = Errc::NotFound,
            .blame = Blame::User,
            .advice = "choose a queue that exists: `yarn queue -list` shows them"},
    Meaning{.sign = "AccessControlException",
            .code = Errc::PermissionDenied,
            .blame = Blame::User,
            .advice = "choose a queue that you may submit to, or ask the cluster's administrators"},
    Meaning{.sign = "AuthorizationException",
            .code = Errc::PermissionDenied,
            .blame = Blame::User,
            .advice = "ask the cluster's administrators for permission"},
    Meaning{.sign = "is STOPPED",
            .code = Errc::PermissionDenied,
            .blame = Blame::User,
            .advice = "choose a queue that is running"},
    Meaning{.sign = "SecretManager$InvalidToken",
            .code = Errc::Unauthenticated,
            .blame = Blame::Cluster,
            .advice = "the token has expired, or belongs to an earlier attempt or another cluster"},
    Meaning{.sign = "already is running on",
            .code = Errc::AlreadyExists,
            .blame = Blame::Cluster,
            .advice = ""},
    Meaning{.sign = "Attempt to relaunch the same container",
            .code = Errc::AlreadyExists,
            .blame = Blame::Cluster,
            .advice = ""},
    Meaning{.sign = "allocated by a previous RM",
            .code = Errc::NotFound,
            .blame = Blame::Cluster,
            .advice = "the resource manager has restarted since: ask for another container"},
    Meaning{.sign = "This token is expired",
            .code = Errc::NotFound,
            .blame = Blame::Cluster,
            .advice = "the container waited too long to be started, or the hosts' clocks differ"},
    Meaning{.sign = "NMNotYetReadyException",
            .code = Errc::Unavailable,
            .blame = Blame::Cluster,
            .advice = "the node manager has just started"},
    Meaning{.sign = "placement constraint",
            .code = Errc::Unsupported,
            .blame = Blame::User,
            .advice = "leave `constraint` and `allocation_tags` out, or ask the administrators to "
                      "set yarn.resourcemanager.placement-constraints.handler to scheduler "
                      "(Capacity Scheduler) or placement-processor"},
};

const Meaning* meaning_of(std::string_view java_class, std::string_view message) {
  for (const auto& meaning : kMeanings) {
    if (java_class.find(meaning.sign) != std::string_view::npos ||
        message.find(meaning.sign) != std::string_view::npos) {
      return &meaning;
    }
  }
  return nullptr;
}

bool is_java_class(std::string_view word) {
  return word.find('.') != std::string_view::npos &&
         (word.ends_with("Exception:") || word.ends_with("InvalidToken:"));
}

// Returns the first line without the names of Java classes that wrapping leaves in: people read the
// rest.
std::string words_of(std::string_view message) {
  std::string words;
  for (const auto word : split(message.substr(0, message.find('\n')), ' ')) {
    if (word.empty() || is_java_class(word)) {
      continue;
    }
    if (!words.empty()) {
      words += ' ';
    }
    words += word;
  }
  while (words.ends_with('.')) {
    words.pop_back();
  }
  return words;
}

}  // namespace

Error explain_exception(std::string_view java_class, std::string_view message,
                        std::string_view what) {
  const auto* const meaning = meaning_of(java_class, message);
  auto words = words_of(message);
  if (words.empty()) {
    words = java_class;
  }
  if (meaning == nullptr) {
    return {.code = Errc::Other,
            .blame = Blame::Cluster,
            .message = fmt::format("{}: {}", what, words)};
  }
  auto text = fmt::format("{}: {}", what, words);
  if (!meaning->advice.empty()) {
    text += fmt::format("; {}", meaning->advice);
  }
  return {.code = meaning->code, .blame = meaning->blame, .message = std::move(text)};
}

Error explain(const rpc::Failure& failure, std::string_view what) {
  if (failure.exception_class.empty()) {
    return failure.error.within(what);
  }
  return explain_exception(failure.exception_class, failure.error.message, what);
}

}  // namespace muster::hadoop::yarn
