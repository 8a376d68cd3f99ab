#include "master/watch/notice_sender.h"

#include "base/text.h"
#include "net/address.h"
#include "net/http_client.h"
#include "net/web_client.h"
#include "os/process/processes.h"
#include "rt/wait.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::master {
namespace {

constexpr Duration kHookMax = std::chrono::seconds(10);
constexpr Duration kProgramMax = std::chrono::seconds(30);
/// How much of a program's output is kept, and how much of that is shown.
constexpr size_t kWordsKept = size_t{64} << 10;
constexpr size_t kLastWordsMax = 200;

/// Returns the file of certificate authorities that the environment names; "" for none.
std::string authorities_of(const std::map<std::string, std::string>& environment) {
  const auto named = environment.find("SSL_CERT_FILE");
  return named == environment.end() ? std::string() : named->second;
}

/// Returns whether a server that answers so would answer the same again.
bool is_final(int status) {
  return status >= 300 && status < 500 && status != 408 && status != 425 && status != 429;
}

/// A program that is fed a text and whose last words are kept. It ends with this object, and so
/// does its group.
class Fed {
 public:
  explicit Fed(os::Processes& processes) : processes_(processes) {}
  Fed(Fed&&) = delete;
  ~Fed() {
    if (child_ && !exited_) {
      (void)processes_.signal_group(child_->pid(), SIGKILL);
    }
  }

  Status start(const os::SpawnOptions& options, const std::string& input,
               rt::Answer<os::Exit> done) {
    MUSTER_TRY(child_, processes_.spawn_interactive(
                           options, std::nullopt,
                           {.output =
                                [this](os::Stream, std::string_view bytes) {
                                  words_.append(bytes);
                                  if (words_.size() > kWordsKept) {
                                    words_.erase(0, words_.size() - kWordsKept);
                                  }
                                  return kWordsKept;
                                },
                            .written = [](size_t) {},
                            .exited =
                                [this, done = std::move(done)](const os::Exit& exit) {
                                  exited_ = true;
                                  done(exit);
                                }}));
    child_->allow_output(kWordsKept);
    child_->write(input);
    child_->end_input();
    return {};
  }

  /// Returns the last line that it printed.
  [[nodiscard]] std::string last_words() const {
    const std::string_view all = trim(words_);
    const std::string line = printable(all.substr(all.rfind('\n') + 1));
    return line.substr(0, kLastWordsMax);
  }

 private:
  os::Processes& processes_;
  std::string words_;
  bool exited_ = false;
  std::unique_ptr<os::InteractiveChild> child_;  ///< Last: it calls back into the others.
};

class RealSender final : public NoticeSender {
 public:
  RealSender(rt::IoLoop& loop, NoticeSettings settings)
      : loop_(loop),
        settings_(std::move(settings)),
        processes_(os::make_processes(loop)),
        dialers_(loop, authorities_of(settings_.environment)) {}

  rt::Async<Status> send(job::NoticeWay way, Letter letter) override {
    switch (way) {
      case job::NoticeWay::Command: {
        std::vector<std::string> argv = {"/bin/sh", "-c", settings_.notify.command};
        return run("the command", std::move(argv), std::move(letter.document),
                   {{"MUSTER_JOB", letter.job}, {"MUSTER_NOTICE", letter.on}});
      }
      case job::NoticeWay::Hook:
        return post(std::move(letter));
      case job::NoticeWay::Mail: {
        std::vector<std::string> argv = {"sendmail", "-i", "--"};
        argv.insert(argv.end(), settings_.notify.mail.begin(), settings_.notify.mail.end());
        return run("sendmail", std::move(argv), std::move(letter.mail), {});
      }
    }
    return post(std::move(letter));
  }

 private:
  rt::Async<Status> run(std::string what, std::vector<std::string> argv, std::string input,
                        std::map<std::string, std::string> more) {
    os::SpawnOptions options;
    options.argv = std::move(argv);
    options.env = settings_.environment;
    options.env.merge(more);
    std::string& path = options.env["PATH"];
    path += (path.empty() ? "/usr/bin:/bin" : "") + std::string(":/usr/sbin:/usr/lib");
    options.folder = settings_.folder;
    auto work = run_to_end(std::move(what), std::move(options), std::move(input));
    co_return co_await rt::with_deadline(loop_, loop_.now() + kProgramMax, "its end",
                                         std::move(work));
  }

  // NOLINTNEXTLINE(readability-function-cognitive-complexity): macros.
  rt::Async<Status> run_to_end(std::string what, os::SpawnOptions options, std::string input) {
    Fed fed(*processes_);
    std::optional<Error> unstarted;
    auto begin = [&](const rt::Answer<os::Exit>& answer) {
      if (const Status started = fed.start(options, input, answer); !started) {
        unstarted = started.error();
        answer({});
      }
    };
    const os::Exit exit = co_await rt::from_callback<os::Exit>(loop_, std::move(begin));
    if (unstarted) {
      co_return std::move(*unstarted).within(what + " cannot be started");
    }
    if (exit.code == 0) {
      co_return Status();
    }
    const std::string words = fed.last_words();
    const std::string how = exit.signal
                                ? fmt::format("was ended by signal {}", *exit.signal)
                                : fmt::format("ended with exit code {}", exit.code.value_or(-1));
    co_return cluster_error(fmt::format("{} {}{}{}", what, how, words.empty() ? "" : ": ", words));
  }

  rt::Async<Status> post(Letter letter) {
    MUSTER_CO_TRY(const net::WebAddress hook, net::parse_web_address(settings_.notify.hook));
    net::HttpClientRequest request;
    request.server = hook.server;
    request.method = "POST";
    request.target = hook.target;
    request.host = hook.host;
    request.headers = {{"Content-Type", "application/json"},
                       {"User-Agent", "muster"},
                       {"Muster-Notice", letter.job + "/" + letter.id}};
    if (!settings_.token.empty()) {
      request.headers.emplace_back("Authorization", "Bearer " + std::string(trim(settings_.token)));
    }
    request.body = std::move(letter.document);
    MUSTER_CO_TRY(net::Dialer* const dialer, dialers_.of(hook));
    // The inner deadline, whose message names the path, never passes. Only the status of the answer
    // counts: what follows may be endless.
    auto work = net::http_open(&loop_, dialer, std::move(request), 2 * kHookMax);
    auto answered = co_await rt::with_deadline(loop_, loop_.now() + kHookMax,
                                               "an answer from " + net::to_string(hook.server),
                                               std::move(work));
    MUSTER_CO_TRY(const auto answer, std::move(answered));
    const int status = answer->head().status;
    if (status >= 200 && status < 300) {
      co_return Status();
    }
    std::string message =
        fmt::format("{} answered with status {}", net::to_string(hook.server), status);
    co_return is_final(status) ? user_error(std::move(message)) : cluster_error(std::move(message));
  }

  rt::IoLoop& loop_;
  NoticeSettings settings_;
  std::unique_ptr<os::Processes> processes_;
  net::WebDialers dialers_;
};

}  // namespace

std::unique_ptr<NoticeSender> make_notice_sender(rt::IoLoop& loop, NoticeSettings settings) {
  return std::make_unique<RealSender>(loop, std::move(settings));
}

}  // namespace muster::master
