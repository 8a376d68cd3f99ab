#include "hadoop/krb5/kerberos_process.h"

#include "base/text.h"
#include "hadoop/krb5/advice.h"
#include "os/process/spawn.h"

#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace muster::hadoop::krb5 {
namespace {

constexpr size_t kHeadBytes = 5;  ///< A length of four bytes, an operation or verdict.
constexpr uint32_t kReplyBytesMax = 128U << 20;

/// The reply's first byte; main.cc of the helper has the same.
enum class Verdict : uint8_t { More, Complete, Done, Failed, NoTicket, NoLibrary };

Result<KerberosReply> judged(uint8_t verdict, std::string bytes) {
  const auto refused = [&](std::string_view what, std::string_view todo) {
    return user_error(
        fmt::format("{}{}{}{}", what, printable(bytes), todo.empty() ? "" : "; ", todo),
        Errc::Unauthenticated);
  };
  switch (static_cast<Verdict>(verdict)) {
    case Verdict::More:
    case Verdict::Done:
      return KerberosReply{.complete = false, .bytes = std::move(bytes)};
    case Verdict::Complete:
      return KerberosReply{.complete = true, .bytes = std::move(bytes)};
    case Verdict::Failed:
      return refused("Kerberos: ", advice_for(bytes));
    case Verdict::NoTicket:
      return refused("no valid Kerberos ticket: ", "run kinit");
    case Verdict::NoLibrary:
      return refused("", "");
  }
  return bug(fmt::format("muster-krb5 sent the unknown verdict {}", verdict));
}

}  // namespace

Result<std::unique_ptr<KerberosProcess>> KerberosProcess::start(rt::IoLoop& loop,
                                                                const KerberosOptions& options,
                                                                std::vector<std::string> words) {
  // A socket instead of pipes: a helper that has ended causes an error in send(), not SIGPIPE.
  int ends[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return system_error(errno, "cannot create a socket for muster-krb5");
  }
  rt::Fd ours(ends[0]);
  const rt::Fd theirs(ends[1]);
  os::SpawnOptions spawn;
  spawn.argv = std::move(words);
  spawn.argv.insert(spawn.argv.begin(), options.program.string());
  spawn.env = options.environment;
  spawn.stdin_from = os::ToFd{theirs.get()};
  spawn.stdout_to = os::ToFd{theirs.get()};
  spawn.stderr_to = os::ToNull{};
  spawn.parent_death_signal = SIGKILL;
  const Result<os::Spawned> spawned = os::spawn(spawn);
  if (!spawned) {
    return Error{Errc::Unsupported, Blame::User,
                 fmt::format("Kerberos needs the program muster-krb5 beside muster: {}",
                             spawned.error().message)};
  }
  rt::Fd replies(::fcntl(ours.get(), F_DUPFD_CLOEXEC, 0));
  if (!replies.valid()) {
    return system_error(errno, "cannot copy the socket of muster-krb5");
  }
  return std::unique_ptr<KerberosProcess>(
      new KerberosProcess(loop, spawned->pid, std::move(ours), std::move(replies)));
}

KerberosProcess::KerberosProcess(rt::IoLoop& loop, os::Pid pid, rt::Fd requests, rt::Fd replies)
    : loop_(loop), pid_(pid), requests_(std::move(requests)) {
  reader_ = std::make_unique<os::PipeReader>(
      loop, std::move(replies),
      os::PipeReader::Handlers{.bytes = [this](std::string_view bytes) { received(bytes); },
                               .ended =
                                   [this] {
                                     fail({Errc::Unavailable, Blame::Muster,
                                           "the helper muster-krb5 has ended unexpectedly"});
                                   }});
}

KerberosProcess::~KerberosProcess() {
  // Nothing the helper does is worth waiting for; after SIGKILL reaping takes no time.
  (void)::kill(static_cast<pid_t>(pid_.value), SIGKILL);
  (void)os::reap(pid_);
}

rt::Async<Result<KerberosReply>> KerberosProcess::ask(Operation operation, std::string bytes) {
  auto begin = [&](Answered answer) {
    if (ended_) {
      answer(*ended_);
      return;
    }
    waiting_.push_back(std::move(answer));
    send(operation, bytes);
  };
  co_return co_await rt::from_callback<Result<KerberosReply>>(loop_, std::move(begin));
}

void KerberosProcess::send(Operation operation, std::string_view bytes) {
  const size_t length = bytes.size() + 1;
  for (const unsigned shift : {24U, 16U, 8U, 0U}) {
    unsent_ += static_cast<char>(length >> shift & 0xFFU);
  }
  unsent_ += static_cast<char>(operation);
  unsent_ += bytes;
  write_some();
}

void KerberosProcess::write_some() {
  while (sent_ < unsent_.size()) {
    const ssize_t written = ::send(requests_.get(), unsent_.data() + sent_, unsent_.size() - sent_,
                                   MSG_NOSIGNAL | MSG_DONTWAIT);
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      if (!writable_) {
        writable_ = loop_.watch(requests_.get(), rt::Interest::Write, [this] { write_some(); });
      }
      return;
    }
    if (written < 0) {
      // The reader learns of the end, too; it first gets what the helper said before.
      break;
    }
    sent_ += static_cast<size_t>(written);
  }
  unsent_.clear();
  sent_ = 0;
  writable_.reset();
}

void KerberosProcess::received(std::string_view bytes) {
  received_ += bytes;
  while (take_reply()) {
  }
}

bool KerberosProcess::take_reply() {
  if (received_.size() < kHeadBytes) {
    return false;
  }
  uint32_t length = 0;
  for (size_t i = 0; i < 4; ++i) {
    length = length << 8 | static_cast<uint8_t>(received_[i]);
  }
  if (length == 0 || length > kReplyBytesMax) {
    fail({Errc::Corrupt, Blame::Muster, "the helper muster-krb5 does not speak its protocol"});
    return false;
  }
  if (received_.size() < 4 + static_cast<size_t>(length)) {
    return false;
  }
  Result<KerberosReply> reply =
      judged(static_cast<uint8_t>(received_[4]), received_.substr(kHeadBytes, length - 1));
  received_.erase(0, 4 + static_cast<size_t>(length));
  if (waiting_.empty()) {
    // The helper gave up before it was asked: every later request gets this answer.
    if (!reply) {
      ended_ = reply.error();
    }
    return false;
  }
  const Answered answer = std::move(waiting_.front());
  waiting_.pop_front();
  answer(std::move(reply));
  return true;
}

void KerberosProcess::fail(const Error& error) {
  if (!ended_) {
    ended_ = error;
  }
  for (const Answered& answer : std::exchange(waiting_, {})) {
    answer(*ended_);
  }
}

}  // namespace muster::hadoop::krb5
