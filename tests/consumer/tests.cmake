# A stranger's project builds and runs against the install tree (moved after installing), through pkg-config, and with
# the sources as a subdirectory. All of the last one is compiled with HALFSPACE_TEST_SOURCES in the environment of CMake
# (./test --all), the sources one by one, optimised. Otherwise the graph of the build must be whole, and of the objects the
# stranger's own and one of every kind are compiled: what can go wrong there are settings, and the sources are those of this build.
set(consumer_form -DCMAKE_BUILD_TYPE=Debug -DCMAKE_UNITY_BUILD=ON -DHALFSPACE_FEW_TARGETS=ON)
set(consumer_part some)
if(DEFINED ENV{HALFSPACE_TEST_SOURCES})
  set(consumer_form "-DCMAKE_BUILD_TYPE=${CMAKE_BUILD_TYPE}" -DCMAKE_UNITY_BUILD=OFF -DHALFSPACE_FEW_TARGETS=OFF)
  set(consumer_part all)
endif()
set(consumer_dir "${CMAKE_CURRENT_BINARY_DIR}/consumer")
set(prefix "${consumer_dir}/moved")

add_test(NAME consumer.install COMMAND "${CMAKE_CURRENT_LIST_DIR}/install" "${CMAKE_COMMAND}" "${PROJECT_BINARY_DIR}"
         "${consumer_dir}/prefix" "${prefix}")
set_tests_properties(consumer.install PROPERTIES FIXTURES_SETUP consumer_prefix)

add_test(NAME consumer.package COMMAND "${CMAKE_CTEST_COMMAND}"
  --build-and-test "${CMAKE_CURRENT_LIST_DIR}" "${consumer_dir}/package" --build-generator "${CMAKE_GENERATOR}"
  --build-options "-DCMAKE_PREFIX_PATH=${prefix}" "-DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}" -DCMAKE_BUILD_TYPE=Release
  --test-command consumer)
set_tests_properties(consumer.package PROPERTIES FIXTURES_REQUIRED consumer_prefix)

add_test(NAME consumer.pkg_config COMMAND "${CMAKE_CURRENT_LIST_DIR}/pkg_config" "${CMAKE_CXX_COMPILER}" "${prefix}"
         "${consumer_dir}")
set_tests_properties(consumer.pkg_config PROPERTIES FIXTURES_REQUIRED consumer_prefix)

add_test(NAME consumer.subdirectory COMMAND "${CMAKE_CURRENT_LIST_DIR}/subdirectory" ${consumer_part} "${CMAKE_COMMAND}"
  "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}-consumer" -G "${CMAKE_GENERATOR}"
  "-DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}" ${consumer_form}
  "-DCMAKE_CXX_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER}" "-DHALFSPACE_WERROR=${HALFSPACE_WERROR}")

set_tests_properties(consumer.install consumer.package consumer.pkg_config consumer.subdirectory
                     PROPERTIES LABELS slow TIMEOUT 900)
