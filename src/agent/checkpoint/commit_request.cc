#include "agent/checkpoint/commit_request.h"

#include "base/text.h"

namespace muster::agent {
namespace {

constexpr std::string_view kRequest = ".ask";
constexpr std::string_view kAnswer = ".answer";
constexpr uint64_t kNameBytesMax = 4096;

}  // namespace

std::optional<CommitRequest> find_commit_request(os::Files& files, const os::Path& folder) {
  const auto entries = files.list(folder);
  if (!entries.has_value()) {
    return std::nullopt;
  }
  for (const os::FolderEntry& entry : *entries) {
    if (!entry.name.ends_with(kRequest) || entry.name.starts_with('.')) {
      continue;
    }
    const std::string text = files.read(folder / entry.name, kNameBytesMax).value_or("");
    return CommitRequest{entry.name.substr(0, entry.name.size() - kRequest.size()),
                         printable(trim(text))};
  }
  return std::nullopt;
}

void answer_commit_request(os::Files& files, const os::Path& folder, const CommitRequest& request,
                           const std::string& answer) {
  (void)files.remove(folder / (request.stem + std::string(kRequest)));
  (void)files.write(folder / (request.stem + std::string(kAnswer)), answer + "\n");
}

std::string_view commit_program() {
  return R"sh(#!/bin/sh
# usage: muster-commit [NAME]
# Says that $MUSTER_CHECKPOINT_DIR now holds a complete checkpoint, and waits until it is saved
# (exit status 0) or refused (1).
if [ -z "$MUSTER_COMMIT_DIR" ]; then
  echo "muster-commit: this task's checkpoint is not mirrored (checkpoint.to, checkpoint.by)" >&2
  exit 0
fi
name=${1:-commit}
stem="$MUSTER_COMMIT_DIR/$$"
mkdir -p "$MUSTER_COMMIT_DIR" && rm -f "$stem.answer" &&
  printf '%s\n' "$name" > "$MUSTER_COMMIT_DIR/.$$" &&
  mv "$MUSTER_COMMIT_DIR/.$$" "$stem.ask" || exit 1
while [ ! -f "$stem.answer" ]; do sleep 0.1; done
answer=$(cat "$stem.answer")
rm -f "$stem.answer"
case "$answer" in
  committed*) exit 0 ;;
esac
echo "muster-commit: $answer" >&2
exit 1
)sh";
}

}  // namespace muster::agent
