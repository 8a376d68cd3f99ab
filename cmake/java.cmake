# muster-tony.jar, beside muster: TonY's classes for programs and schedulers that run jobs by them
# (java/README.md). It needs a JDK from 9 on and nothing else: Hadoop's classes that its methods
# name are compiled against the signatures in java/hadoop, which are not packed. Without a JDK the
# target says that there is no jar.

if(MUSTER_SANITIZE)
  return()
endif()
find_program(MUSTER_JAVAC javac HINTS "$ENV{JAVA_HOME}/bin")
find_program(MUSTER_JAR jar HINTS "$ENV{JAVA_HOME}/bin")
set(java_too_old TRUE)
if(MUSTER_JAVAC AND MUSTER_JAR)
  execute_process(COMMAND ${MUSTER_JAVAC} --release 8 -version
    RESULT_VARIABLE java_too_old OUTPUT_QUIET ERROR_QUIET)
endif()
if(java_too_old)
  set(java_absent "there is no JDK, 9 or newer: muster-tony.jar is left out; run: tools/setup java")
  add_custom_target(muster_java ALL
    COMMAND ${CMAKE_COMMAND} -E echo "${java_absent} && cmake --preset release" VERBATIM)
  return()
endif()

set(java_jar "${CMAKE_BINARY_DIR}/muster-tony.jar")
set(java_folder "${CMAKE_BINARY_DIR}/java")
file(GLOB_RECURSE java_hadoop CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/java/hadoop/*.java")
file(GLOB_RECURSE java_sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/java/src/*.java")
# The compiler lives for seconds: what Java prepares for longer lives costs more than it saves.
set(java_briefly -J-XX:+UseSerialGC -J-XX:TieredStopAtLevel=1 -J-XX:-UsePerfData)
set(java_flags ${java_briefly} --release 8 -encoding UTF-8 -Xlint:all,-options -g)
if(MUSTER_WERROR)
  list(APPEND java_flags -Werror)
endif()
file(CONFIGURE OUTPUT "${java_folder}/manifest"
  CONTENT "Implementation-Title: muster-tony\nImplementation-Version: ${PROJECT_VERSION}\n")
# Folders are made anew, so that no class outlives its source.
add_custom_command(OUTPUT "${java_jar}"
  COMMAND ${CMAKE_COMMAND} -E rm -rf "${java_folder}/hadoop" "${java_folder}/classes"
  COMMAND ${MUSTER_JAVAC} ${java_flags} -d "${java_folder}/hadoop" ${java_hadoop}
  COMMAND ${MUSTER_JAVAC} ${java_flags} -cp "${java_folder}/hadoop" -d "${java_folder}/classes"
          ${java_sources}
  COMMAND ${MUSTER_JAR} cfm "${java_jar}" "${java_folder}/manifest" -C "${java_folder}/classes" .
  DEPENDS ${java_hadoop} ${java_sources} "${java_folder}/manifest" VERBATIM)
add_custom_target(muster_java ALL DEPENDS "${java_jar}")
