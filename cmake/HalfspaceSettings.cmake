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
  endif()
endif()

add_library(halfspace_settings INTERFACE)
target_compile_features(halfspace_settings INTERFACE cxx_std_20)
target_compile_options(halfspace_settings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-align -Wunused
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
  target_compile_options(halfspace_settings INTERFACE -fsanitize=${HALFSPACE_SANITIZE} -fno-omit-frame-pointer
                         -fno-sanitize-recover=all)
  target_link_options(halfspace_settings INTERFACE -fsanitize=${HALFSPACE_SANITIZE})
endif()
