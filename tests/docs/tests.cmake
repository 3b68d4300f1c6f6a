# What the pages show is what the program prints.
file(GLOB pages CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/README.md" "${PROJECT_SOURCE_DIR}/docs/*.md"
     "${PROJECT_SOURCE_DIR}/docs/algorithms/*.md")
if(NOT HALFSPACE_SANITIZE)
  add_test(NAME docs COMMAND Python3::Interpreter "${CMAKE_CURRENT_LIST_DIR}/run.py" $<TARGET_FILE:halfspace_cli> ${pages})
  set_tests_properties(docs PROPERTIES LABELS fast TIMEOUT 900)
endif()

if(NOT HALFSPACE_SANITIZE)
  add_test(NAME docs.real-data COMMAND Python3::Interpreter "${CMAKE_CURRENT_LIST_DIR}/run.py"
           $<TARGET_FILE:halfspace_cli> --real-data ${pages})
  set_tests_properties(docs.real-data PROPERTIES LABELS slow TIMEOUT 900 SKIP_REGULAR_EXPRESSION "SKIPPED")
endif()

# The tables of options are those of the library.
if(NOT HALFSPACE_SANITIZE)
  add_executable(halfspace_option_tables "${CMAKE_CURRENT_LIST_DIR}/option_tables.cpp")
  target_link_libraries(halfspace_option_tables PRIVATE halfspace halfspace_driver_settings fmt::fmt)
  add_test(NAME docs.options COMMAND Python3::Interpreter "${CMAKE_CURRENT_LIST_DIR}/options_test.py"
           $<TARGET_FILE:halfspace_option_tables> "${PROJECT_SOURCE_DIR}/docs/algorithms/options.md")
  set_tests_properties(docs.options PROPERTIES LABELS fast)
endif()
