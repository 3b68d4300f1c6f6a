// SPDX-License-Identifier: BSD-3-Clause
// The bytes of web/dist/report.html, put into the program by the assembler: no tool and no text of a megabyte for the
// compiler. CMake says where the file is, and builds this again when it changes.
#include "report/page.hpp"

asm(".pushsection .rodata.halfspace_page,\"a\",@progbits\n"
    ".global halfspace_page_begin\n"
    ".hidden halfspace_page_begin\n"
    "halfspace_page_begin:\n"
    ".incbin \"" HALFSPACE_PAGE_FILE
    "\"\n"
    ".global halfspace_page_end\n"
    ".hidden halfspace_page_end\n"
    "halfspace_page_end:\n"
    ".byte 0\n"
    ".popsection\n");

extern "C" {
__attribute__((visibility("hidden"))) extern const char halfspace_page_begin[];
__attribute__((visibility("hidden"))) extern const char halfspace_page_end[];
}

namespace halfspace::report {

std::string_view built_page() {
  return {halfspace_page_begin, static_cast<std::size_t>(halfspace_page_end - halfspace_page_begin)};
}

}  // namespace halfspace::report
