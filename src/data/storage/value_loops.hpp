// SPDX-License-Identifier: BSD-3-Clause
// Loops over doubles that the fingerprint is made of, in the widest vectors of the processor. Each gives what as_decimal() or a
// plain loop would, to the bit.
#pragma once

#include <cstddef>
#include <cstdint>

namespace halfspace {

// Whether so many decimals hold all values: as_decimal() of each.
[[nodiscard]] bool decimals_hold_all(const double* x, std::size_t n, int decimals) noexcept;
// The digits of values that so many decimals hold.
void digits_of(const double* x, std::size_t n, int decimals, std::int32_t* digits) noexcept;
[[nodiscard]] std::size_t count_nonzeros(const double* x, std::size_t n) noexcept;
// The values that are not zero, and their places counted from `first`; returns how many. Room for n + 16 of both: whole vectors
// are written.
[[nodiscard]] std::size_t take_nonzeros(const double* x, std::size_t n, std::uint32_t first, double* values,
                                        std::uint32_t* places) noexcept;

}  // namespace halfspace
