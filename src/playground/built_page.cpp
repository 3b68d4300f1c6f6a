// SPDX-License-Identifier: BSD-3-Clause
// The bytes of web/dist/playground.html, put into the program by the assembler. CMake says where the file is.
#include "halfspace/playground/playground.hpp"

asm(".pushsection .rodata.halfspace_playground,\"a\",@progbits\n"
    ".global halfspace_playground_begin\n"
    ".hidden halfspace_playground_begin\n"
    "halfspace_playground_begin:\n"
    ".incbin \"" HALFSPACE_PAGE_FILE
    "\"\n"
    ".global halfspace_playground_end\n"
    ".hidden halfspace_playground_end\n"
    "halfspace_playground_end:\n"
    ".byte 0\n"
    ".popsection\n");

extern "C" {
__attribute__((visibility("hidden"))) extern const char halfspace_playground_begin[];
__attribute__((visibility("hidden"))) extern const char halfspace_playground_end[];
}

namespace halfspace {

std::string_view playground_page() {
  return {halfspace_playground_begin,
          static_cast<std::size_t>(halfspace_playground_end - halfspace_playground_begin)};
}

}  // namespace halfspace
