# What `muster init` writes (src/spec/templates), put into the library of src/spec.
file(GLOB template_files CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/spec/templates/*/*.yaml"
  "${CMAKE_SOURCE_DIR}/src/spec/templates/*/*.py")
set(template_source "${CMAKE_BINARY_DIR}/template_files.cc")
add_custom_command(OUTPUT "${template_source}"
  COMMAND ${MUSTER_PYTHON} -B "${CMAKE_SOURCE_DIR}/tools/embed" templates "${template_source}"
    ${template_files}
  DEPENDS "${CMAKE_SOURCE_DIR}/tools/embed" ${template_files})
target_sources(muster_spec PRIVATE "${template_source}")

# The frameworks that are nothing but data (src/spec/frameworks).
file(GLOB framework_files CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/spec/frameworks/*.yaml")
set(framework_source "${CMAKE_BINARY_DIR}/framework_files.cc")
add_custom_command(OUTPUT "${framework_source}"
  COMMAND ${MUSTER_PYTHON} -B "${CMAKE_SOURCE_DIR}/tools/embed" frameworks "${framework_source}"
    ${framework_files}
  DEPENDS "${CMAKE_SOURCE_DIR}/tools/embed" ${framework_files})
target_sources(muster_spec PRIVATE "${framework_source}")
