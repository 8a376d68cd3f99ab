#pragma once

namespace muster::client {

/// The script that `muster ssh-proxy` has /bin/sh run inside a task. From its input it reads the
/// host key, up to a line `.`, and the key of whoever may log in, then serves one connection there
/// with the sshd of the task's host. What people start gets the task's environment and folder,
/// whose values are not written anywhere. Needs no root.
inline constexpr const char* kSshServer = R"sh(
fail() { echo "muster: $1" >&2; exit 127; }
PATH=$PATH:/usr/sbin:/usr/local/sbin:/sbin
sshd=$(command -v sshd) ||
  fail "there is no sshd in this task: install openssh-server in its image or on its host"
umask 077
dir=$(mktemp -d "${TMPDIR:-/tmp}/muster-ssh.XXXXXX") ||
  fail "no folder can be made in ${TMPDIR:-/tmp}"
# Whoever hangs up does so while this ends by itself, too: nothing may end rm.
trap 'trap "" HUP INT QUIT TERM; rm -rf "$dir"' EXIT
trap 'exit 129' HUP
trap 'exit 143' TERM
while IFS= read -r line && [ "$line" != . ]; do printf '%s\n' "$line"; done > "$dir/host_key"
IFS= read -r line && printf '%s\n' "$line" > "$dir/authorized_keys"
cat > "$dir/enter" <<'ENTER'
quoted() {
  sed -z -n -e '/^\(TERM\|HOME\|USER\|LOGNAME\|PWD\|OLDPWD\|SHLVL\|_\)=/d' -e '/^SSH_/d' \
    -e "/^[A-Za-z_][A-Za-z0-9_]*=/{s/'/'\\\\''/g;s/=/='/;s/\$/'/;s/^/export /;p}" "$1" |
    tr '\0' '\n'
}
shell=$SHELL
eval "$(quoted "/proc/$1/environ")"
cd -P "/proc/$1/cwd" 2>/dev/null || cd /
if [ -n "${SSH_ORIGINAL_COMMAND+given}" ]; then
  # A bash of level 1 under sshd reads ~/.bashrc, which would change the task's environment.
  export SHLVL=1
  exec "$shell" -c "$SSH_ORIGINAL_COMMAND"
fi
exec "$shell"
ENTER
for sftp in /usr/lib/openssh /usr/libexec/openssh /usr/lib/ssh /usr/libexec /usr/lib/misc; do
  [ ! -x "$sftp/sftp-server" ] || break
done
cat > "$dir/sshd_config" <<CONFIG
HostKey "$dir/host_key"
AuthorizedKeysFile "$dir/authorized_keys"
AuthenticationMethods publickey
PermitRootLogin prohibit-password
StrictModes no
UsePAM no
PidFile none
PrintMotd no
PrintLastLog no
LogLevel ERROR
Subsystem sftp $sftp/sftp-server
ForceCommand exec /bin/sh '$dir/enter' $$
CONFIG
if [ "$(id -u)" = 0 ]; then mkdir -p -m 0755 /run/sshd; fi
"$sshd" -i -e -f "$dir/sshd_config"
)sh";

}  // namespace muster::client
