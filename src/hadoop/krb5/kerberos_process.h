#pragma once

#include "base/result.h"
#include "os/process/pid.h"
#include "os/process/pipe_reader.h"
#include "rt/async.h"
#include "rt/fd.h"
#include "rt/io_loop.h"
#include "rt/wait.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::hadoop::krb5 {

/// What the helper is asked to do with a request's bytes.
enum class Operation : char {
  Step = 's',           ///< Answer the other side's token (none at first).
  Wrap = 'w',           ///< With a MAC.
  WrapPrivate = 'W',    ///< Encrypted.
  Unwrap = 'u',         ///< And check the MAC.
  UnwrapPrivate = 'U',  ///< And refuse what was not encrypted.
  FindKeys = 'k',       ///< Of a service: are there any?
  NamePeer = 'n',       ///< Of a service, once complete: seconds in four bytes, then who it is.
};

struct KerberosReply {
  bool complete = false;  ///< Of Step: the dialogue is complete, `bytes` may be empty.
  std::string bytes;
};

struct KerberosOptions {
  std::filesystem::path program;                   ///< muster-krb5.
  std::map<std::string, std::string> environment;  ///< KRB5CCNAME, KRB5_CONFIG, ...
};

/// One running muster-krb5: the Kerberos context of one connection. Destroying it ends the process.
/// Lives on its loop's thread.
class KerberosProcess {
 public:
  /// Starts the helper with these arguments: "SERVICE@HOST" for a dialogue with that service,
  /// "--accept" and "SERVICE" to act as it. Unsupported, with what to do, if the program is
  /// missing.
  [[nodiscard]] static Result<std::unique_ptr<KerberosProcess>> start(
      rt::IoLoop& loop, const KerberosOptions& options, std::vector<std::string> words);
  KerberosProcess(KerberosProcess&&) = delete;
  ~KerberosProcess();

  /// Sends a request and awaits the answer; several may be under way, answered in order. Destroying
  /// the coroutine drops its answer. Unauthenticated without a valid ticket or library, Corrupt if
  /// a message cannot be unwrapped, Unavailable if the helper has ended.
  [[nodiscard]] rt::Async<Result<KerberosReply>> ask(Operation operation, std::string bytes);

 private:
  using Answered = rt::Answer<Result<KerberosReply>>;
  KerberosProcess(rt::IoLoop& loop, os::Pid pid, rt::Fd requests, rt::Fd replies);

  void send(Operation operation, std::string_view bytes);
  void write_some();
  void received(std::string_view bytes);
  /// Takes one whole reply off `received_`; false if there is none.
  bool take_reply();
  void fail(const Error& error);

  rt::IoLoop& loop_;
  os::Pid pid_;
  rt::Fd requests_;
  std::string unsent_;
  size_t sent_ = 0;  ///< Of unsent_.
  std::string received_;
  std::deque<Answered> waiting_;
  std::optional<Error> ended_;
  std::unique_ptr<rt::FdWatch> writable_;   ///< Destroyed before requests_.
  std::unique_ptr<os::PipeReader> reader_;  ///< Destroyed first.
};

}  // namespace muster::hadoop::krb5
