#pragma once

#include <string>
#include <string_view>

namespace muster::spec {

/// What names may look like. Each returns what is wrong with a name, as a sentence that quotes it,
/// or "".
[[nodiscard]] std::string wrong_job_name(std::string_view name);
[[nodiscard]] std::string wrong_role_name(std::string_view name);
[[nodiscard]] std::string wrong_variable(std::string_view name);
[[nodiscard]] std::string wrong_port_name(std::string_view name);
/// For a page that a task serves.
[[nodiscard]] std::string wrong_endpoint_name(std::string_view name);
/// For the port of such a page: a number, or the name of a port.
[[nodiscard]] std::string wrong_endpoint_port(std::string_view port);
/// For the path of such a page.
[[nodiscard]] std::string wrong_page_path(std::string_view path);
[[nodiscard]] std::string wrong_resource(std::string_view name);
[[nodiscard]] std::string wrong_class(std::string_view name);
/// May be empty.
[[nodiscard]] std::string wrong_framework_name(std::string_view name);
/// For every text, which must be valid UTF-8 without NUL bytes.
[[nodiscard]] std::string wrong_text(std::string_view text);
/// For every text that ends up in a command line, a path or an address: not empty, no line breaks.
[[nodiscard]] std::string wrong_word(std::string_view text);
/// The same for a text that may be empty.
[[nodiscard]] std::string wrong_line(std::string_view text);
/// For a Docker image as YARN accepts it: HOST:PORT/NAME:TAG or NAME@sha256:DIGEST.
[[nodiscard]] std::string wrong_image(std::string_view image);
/// For a place inside a task's folder: relative, without `..`. May be empty.
[[nodiscard]] std::string wrong_place(std::string_view path);
/// The same, and not empty.
[[nodiscard]] std::string wrong_checkpoint_dir(std::string_view path);
/// For an address for notices: http://HOST[:PORT][/PATH] or https://...; may be empty.
[[nodiscard]] std::string wrong_hook(std::string_view address);
[[nodiscard]] std::string wrong_mail_address(std::string_view address);
[[nodiscard]] std::string wrong_command(std::string_view command);

/// Returns a job name made from any text, a file's stem or a program: never empty, always valid.
[[nodiscard]] std::string job_name_from(std::string_view text);

}  // namespace muster::spec
