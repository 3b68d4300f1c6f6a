# cmake --install: the library with its headers, a CMake package and a pkg-config file; cli/ adds the program and its
# man page.
# Nothing in what is installed names the prefix: the tree may be moved.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS halfspace EXPORT halfspace
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
        FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(TARGETS halfspace_c LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/halfspace")
install(EXPORT halfspace NAMESPACE halfspace:: FILE halfspaceTargets.cmake DESTINATION "${package_dir}")
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/halfspaceConfig.cmake.in"
  "${CMAKE_CURRENT_BINARY_DIR}/halfspaceConfig.cmake" INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/halfspaceConfigVersion.cmake"
  COMPATIBILITY SameMajorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/halfspaceConfig.cmake"
  "${CMAKE_CURRENT_BINARY_DIR}/halfspaceConfigVersion.cmake" DESTINATION "${package_dir}")

file(RELATIVE_PATH prefix_from_pc "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file("${CMAKE_CURRENT_LIST_DIR}/halfspace.pc.in" "${CMAKE_CURRENT_BINARY_DIR}/halfspace.pc" @ONLY)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/halfspace.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
