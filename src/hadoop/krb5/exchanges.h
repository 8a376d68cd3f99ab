#pragma once

#include "hadoop/krb5/kerberos_process.h"
#include "hadoop/rpc/sasl_mechanism.h"
#include "rt/io_loop.h"

#include <filesystem>
#include <memory>

namespace muster::hadoop::krb5 {

/// Makes Kerberos dialogues by muster-krb5, one process for each connection: a key server that does
/// not answer delays no other, and nothing outlives its connection. `loop` must outlive it and
/// every dialogue.
[[nodiscard]] std::unique_ptr<rpc::KerberosExchanges> make_exchanges(rt::IoLoop& loop,
                                                                     KerberosOptions options);

/// The helper that was shipped with this program: "muster-krb5" in the folder of its binary.
[[nodiscard]] std::filesystem::path shipped_helper();

}  // namespace muster::hadoop::krb5
