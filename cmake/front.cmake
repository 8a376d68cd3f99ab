# The files of the job's page, put into the library that serves them. The programs among them are
# compiled from TypeScript beforehand (tools/web), so that building needs no Node.
file(GLOB front_files CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/portal/web/*.html"
  "${CMAKE_SOURCE_DIR}/portal/web/*.css" "${CMAKE_SOURCE_DIR}/portal/web/built/*.js"
  "${CMAKE_SOURCE_DIR}/portal/web/built/*.css")
set(front_source "${CMAKE_BINARY_DIR}/front_files.cc")
add_custom_command(OUTPUT "${front_source}"
  COMMAND ${MUSTER_PYTHON} -B "${CMAKE_SOURCE_DIR}/tools/embed" front "${front_source}"
    ${front_files}
  DEPENDS "${CMAKE_SOURCE_DIR}/tools/embed" ${front_files})
target_sources(muster_page PRIVATE "${front_source}")
