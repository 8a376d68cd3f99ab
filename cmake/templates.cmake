# What `muster init` writes (src/spec/templates), put into the library of src/spec.
file(GLOB template_files CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/spec/templates/*/*.yaml"
  "${CMAKE_SOURCE_DIR}/src/spec/templates/*/*.py")
set(template_source "${CMAKE_BINARY_DIR}/template_files.cc")
add_custom_command(OUTPUT "${template_source}"
  COMMAND ${MUSTER_PYTHON} -B "${CMAKE_SOURCE_DIR}/tools/embed" templates "${template_source}"
    ${template_files}
  DEPENDS "${CMAKE_SOURCE_DIR}/tools/embed" ${template_files})
target_sources(muster_spec PRIVATE "${template_source}")
