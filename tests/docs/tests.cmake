# What the pages show is what the program prints.
file(GLOB pages CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/README.md" "${PROJECT_SOURCE_DIR}/docs/*.md"
     "${PROJECT_SOURCE_DIR}/docs/algorithms/*.md")
add_test(NAME docs COMMAND Python3::Interpreter "${CMAKE_CURRENT_LIST_DIR}/run.py" $<TARGET_FILE:halfspace_cli> ${pages})
set_tests_properties(docs PROPERTIES LABELS fast TIMEOUT 900)
