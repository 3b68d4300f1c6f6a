# Debian packages: see scripts/install-deps. None of them appears in a public header.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
# The archives where there are some: every shared library costs start-up time, and libhwy.so alone, which measures the
# processor when it is loaded, costs more than everything else together.
if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a .so)
endif()
find_package(nlohmann_json 3.11 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(BZip2 REQUIRED)
find_package(LibLZMA REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
# Whole numbers of any size, for proofs.
find_library(GMP_LIBRARY NAMES gmp REQUIRED)
find_path(GMP_INCLUDE_DIR NAMES gmpxx.h PATH_SUFFIXES x86_64-linux-gnu REQUIRED)
pkg_check_modules(HWY REQUIRED libhwy)  # headers only
