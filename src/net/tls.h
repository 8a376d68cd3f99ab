#pragma once

#include "base/result.h"
#include "rt/fd.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace muster::net {

/// A pre-shared key.
using Psk = std::array<uint8_t, 32>;

/// Overwrites secret bytes in a way that the compiler does not optimize away.
void wipe(std::span<uint8_t> secret);

/// Prepares the cryptographic library, without its configuration file. Cheap to repeat; everything
/// here calls it.
void prepare_crypto();

/// How far an operation on a TlsStream came.
enum class TlsProgress : uint8_t {
  Done,        ///< It did something.
  WantsRead,   ///< Repeat it when the socket can be read.
  WantsWrite,  ///< Repeat it when the socket can be written.
  Ended,       ///< The other side has said that it will send nothing more.
  Failed,      ///< See TlsStream::failure().
};

/// Why a TlsStream failed, as far as callers react to it.
enum class TlsFailure : uint8_t {
  None,
  Connection,       ///< TCP broke, or ended without notice.
  UnknownIdentity,  ///< (server) No key exists for that name.
  WrongKey,         ///< The other side does not have the key of its identity.
  Protocol,         ///< Not TLS 1.3 with a pre-shared key and our protocol.
};

/// TLS 1.3 with an external pre-shared key and nothing else: TLS_AES_128_GCM_SHA256, psk_dhe_ke
/// over X25519, no certificates, no tickets, no resumption. One context serves all streams of a
/// process; an idle stream keeps about 6 KiB and releases its buffers.
class TlsContext {
 public:
  /// Returns the key of an identity, or nothing for an unknown one (which then fails like a wrong
  /// key).
  using Lookup = std::function<std::optional<Psk>(std::string_view identity)>;

  /// `protocol` is negotiated (ALPN): both sides must name the same.
  explicit TlsContext(std::string protocol);
  ~TlsContext();
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;

  struct Impl;

 private:
  friend class TlsStream;
  std::shared_ptr<Impl> impl_;
};

/// One connection over a non-blocking socket. Not thread-safe. Keeps what it needs of its context
/// alive.
class TlsStream {
 public:
  /// Makes the side that accepted. `lookup` must live until the handshake is done.
  static TlsStream server(TlsContext& context, rt::Fd socket, const TlsContext::Lookup& lookup);
  /// Makes the side that dialled.
  static TlsStream client(TlsContext& context, rt::Fd socket, std::string identity, const Psk& key);

  TlsStream(TlsStream&&) noexcept;
  TlsStream& operator=(TlsStream&&) noexcept;
  ~TlsStream();

  [[nodiscard]] int fd() const;

  /// Continues the handshake; Done when both sides have proved the key.
  TlsProgress handshake();
  /// Reads into `buffer`; `got` is set when Done.
  TlsProgress read(std::span<char> buffer, size_t& got);
  /// Writes from the front of `bytes`; `put` is set when Done. After WantsWrite it must be repeated
  /// with bytes that begin with the same ones. `more`: another write follows at once, so the kernel
  /// may send both together.
  TlsProgress write(std::string_view bytes, size_t& put, bool more = false);
  /// Says that nothing more will be sent.
  void say_end();

  [[nodiscard]] TlsFailure failure() const;
  /// (server) The identity that the other side claimed; proven once the handshake is done.
  [[nodiscard]] const std::string& identity() const;

  struct Impl;

 private:
  explicit TlsStream(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace muster::net
