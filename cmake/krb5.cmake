# muster-krb5, beside muster: the one program that loads the host's Kerberos library. It is linked
# against stand-ins of libc and libdl that name each function at its oldest version, so that it
# starts on every glibc since 2.17 whatever this machine has. Its own flags only: no sanitizers, no
# C++ library.

if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  set(krb5_version GLIBC_2.2.5)
  set(krb5_loader /lib64/ld-linux-x86-64.so.2)
else()
  set(krb5_version GLIBC_2.17)
  set(krb5_loader /lib/ld-linux-aarch64.so.1)
endif()
set(krb5_source "${CMAKE_SOURCE_DIR}/src/hadoop/krb5")
set(krb5_folder "${CMAKE_BINARY_DIR}/krb5")
set(krb5_stand_ins)

function(muster_add_stand_in file)
  set(body "")
  foreach(name IN LISTS ARGN)
    string(APPEND body "void ${name}(void) {}\n")
  endforeach()
  file(CONFIGURE OUTPUT "${krb5_folder}/${file}.c" CONTENT "${body}")
  file(CONFIGURE OUTPUT "${krb5_folder}/${file}.map" CONTENT "${krb5_version} { global: *; };\n")
  add_custom_command(OUTPUT "${krb5_folder}/${file}"
    COMMAND ${CMAKE_C_COMPILER} -shared -nostdlib -fno-builtin -fuse-ld=lld-19 -w
            -Wl,-soname,${file} -Wl,--version-script=${krb5_folder}/${file}.map
            -o "${krb5_folder}/${file}" "${krb5_folder}/${file}.c"
    DEPENDS "${krb5_folder}/${file}.c" "${krb5_folder}/${file}.map" VERBATIM)
endfunction()

muster_add_stand_in(libc.so.6 __libc_start_main read write malloc free strlen memcpy memset)
muster_add_stand_in(libdl.so.2 dlopen dlsym)

set(krb5_program "${CMAKE_BINARY_DIR}/muster-krb5")
add_custom_command(OUTPUT "${krb5_program}"
  COMMAND ${CMAKE_CXX_COMPILER} -std=c++20 -O2 -Wall -Wextra -Werror -fPIE -fno-exceptions -fno-rtti
          -fno-stack-protector -fno-asynchronous-unwind-tables -nostdlib -nostartfiles -pie
          -fuse-ld=lld-19 -Wl,-dynamic-linker,${krb5_loader} -Wl,-z,relro,-z,now,-z,noexecstack
          -Wl,-s -Wl,--no-as-needed -Wl,--hash-style=both
          -I "${CMAKE_SOURCE_DIR}/src" -o "${krb5_program}" "${krb5_source}/main.cc"
          "${krb5_source}/start.S"
          "${krb5_folder}/libc.so.6" "${krb5_folder}/libdl.so.2"
  DEPENDS "${krb5_source}/main.cc" "${krb5_source}/host_gssapi.h" "${krb5_source}/start.S"
          "${krb5_folder}/libc.so.6" "${krb5_folder}/libdl.so.2"
  VERBATIM)
add_custom_target(muster_krb5 ALL DEPENDS "${krb5_program}")
if(TARGET hadoop_krb5_test)
  add_dependencies(hadoop_krb5_test muster_krb5)
endif()
