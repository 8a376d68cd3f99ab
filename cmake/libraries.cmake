# The rows of `muster version --all`: the libraries in the program with the versions of their
# packages, asked for anew when a package is upgraded.
set(libraries_dir "${CMAKE_BINARY_DIR}/libraries")
execute_process(COMMAND ${MUSTER_PYTHON} -B "${CMAKE_SOURCE_DIR}/tools/sbom" cc
  OUTPUT_VARIABLE libraries COMMAND_ERROR_IS_FATAL ANY)
file(CONFIGURE OUTPUT "${libraries_dir}/linked_libraries.cc" CONTENT
"#include \"app/linked_libraries.h\"

namespace muster::app {
namespace {

constexpr LinkedLibrary kLibraries[] = {
${libraries}};

}  // namespace

std::span<const LinkedLibrary> linked_libraries() { return kLibraries; }

}  // namespace muster::app
")
target_sources(muster_app PRIVATE "${libraries_dir}/linked_libraries.cc")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
  "${CMAKE_SOURCE_DIR}/tools/sbom" /var/lib/dpkg/status)
