# Compiler settings shared by every target of this project, carried by the interface target halfspace_settings.
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
  set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
  set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
  find_program(HALFSPACE_CCACHE ccache)
  if(HALFSPACE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${HALFSPACE_CCACHE}")
    # Precompiled headers, which ccache takes when told so.
    list(PREPEND CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env CCACHE_SLOPPINESS=pch_defines,time_macros)
  endif()
endif()

add_library(halfspace_settings INTERFACE)
target_compile_features(halfspace_settings INTERFACE cxx_std_20)
target_compile_options(halfspace_settings INTERFACE
  -Wall -Wextra -Wpedantic $<$<NOT:$<BOOL:${CMAKE_UNITY_BUILD}>>:-Wshadow> -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-align -Wunused
  -Wno-missing-field-initializers  # designated initialisers leave out what keeps its default
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>  # g++ 12 warns about its own std::string (GCC bug 105651)
  -ffp-contract=off                # the same bits whatever the optimiser fuses
  -fstack-protector-strong -D_GLIBCXX_ASSERTIONS
  $<$<CONFIG:Release,RelWithDebInfo>:-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2>)
if(HALFSPACE_WERROR)
  target_compile_options(halfspace_settings INTERFACE -Werror)
endif()
# What runs the library but is not under test itself: with sanitizers most of the time of a build goes into optimising
# their checks.
add_library(halfspace_driver_settings INTERFACE)
target_link_libraries(halfspace_driver_settings INTERFACE halfspace_settings)
if(HALFSPACE_SANITIZE)
  target_compile_options(halfspace_driver_settings INTERFACE -O0)
endif()

if(HALFSPACE_SANITIZE)
  # Not every member and element is asked whether it is there and where it should be: the address sanitizer sees what is
  # read from nowhere, and the questions keep small functions from being inlined (a fifth of
  # the compile time). Alignment is asked where arrays come from outside (src/CMakeLists.txt).
  target_compile_options(halfspace_settings INTERFACE -fsanitize=${HALFSPACE_SANITIZE} -fno-omit-frame-pointer
                         -fno-sanitize-recover=all -fno-sanitize=null,vptr,object-size,alignment)
  target_link_options(halfspace_settings INTERFACE -fsanitize=${HALFSPACE_SANITIZE})
endif()

if(HALFSPACE_FEW_TARGETS)  # builds that are compiled more often than they are used: sanitizers, quick
  # Two of Highway's instruction sets, the one that always runs and AVX2: the loops are the largest part of a build, and
  # under a sanitizer their checks cost ten times the loops.
  set(left_out SVE SVE2 SVE_256 SVE2_128 RVV SSSE3 SSE4 AVX3 AVX3_DL)
  list(TRANSFORM left_out PREPEND HWY_)
  list(JOIN left_out "|" left_out)
  target_compile_definitions(halfspace_settings INTERFACE "HWY_DISABLED_TARGETS=(${left_out})")
  find_program(HALFSPACE_LLD ld.lld)
  if(HALFSPACE_LLD AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")  # a dozen large programs with debug information
    target_link_options(halfspace_settings INTERFACE -fuse-ld=lld)
  endif()
endif()

# halfspace_units(TARGET FOLDER): with CMAKE_UNITY_BUILD the sources of a folder are compiled together, at most twelve at
# a time: most of the time of a small source goes into what its neighbours include as well. So names in unnamed
# namespaces differ within a folder. A source that Highway reads once per instruction set stays alone.
function(halfspace_units target folder)
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${folder}")
    if(NOT source MATCHES "[.]cpp$")
      continue()
    endif()
    file(STRINGS "${source}" alone REGEX "each_target[.]hpp" LIMIT_COUNT 1)
    get_source_file_property(skip "${source}" SKIP_UNITY_BUILD_INCLUSION)
    if(alone OR skip)
      continue()
    endif()
    cmake_path(GET source PARENT_PATH room)
    cmake_path(RELATIVE_PATH room BASE_DIRECTORY "${folder}")
    string(MAKE_C_IDENTIFIER "${room}" room)
    math(EXPR part "${count_${room}} + 0" OUTPUT_FORMAT DECIMAL)
    math(EXPR count_${room} "${part} + 1")
    math(EXPR part "${part} / 12")
    set_source_files_properties("${source}" PROPERTIES UNITY_GROUP "${room}_${part}")
  endforeach()
endfunction()
