# What clients run in tasks by `python3 -c` (src/client/reach/programs), put into their library, and
# what it shares with Muster's Python package.
file(GLOB program_files CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/client/reach/programs/*.py")
list(APPEND program_files "${CMAKE_SOURCE_DIR}/python/src/muster/jupyter/kernel_folder.py"
  "${CMAKE_SOURCE_DIR}/python/src/muster/jupyter/peer_user.py")
set(program_source "${CMAKE_BINARY_DIR}/program_files.cc")
add_custom_command(OUTPUT "${program_source}"
  COMMAND ${MUSTER_PYTHON} -B "${CMAKE_SOURCE_DIR}/tools/embed" programs "${program_source}"
    ${program_files}
  DEPENDS "${CMAKE_SOURCE_DIR}/tools/embed" ${program_files})
target_sources(muster_client PRIVATE "${program_source}")
