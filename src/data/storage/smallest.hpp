// SPDX-License-Identifier: BSD-3-Clause
// The storage that readers choose for a set: the smallest that loses nothing, a function of its entries alone. The
// fingerprint of a set is taken over the arrays that it has in this storage, so that rows in the arrays of a caller, or in
// any other storage, have the fingerprint of the same rows in a file.
#pragma once

#include <cstdint>

#include "data/storage/row_store.hpp"
#include "halfspace/core/bytes.hpp"
#include "halfspace/core/team.hpp"
#include "halfspace/data/matrix.hpp"

namespace halfspace {

struct SmallestStorage {
  ValueKind kind = ValueKind::Ones;
  int decimals = 0;  // for Decimal
  bool sparse = true;
  bool wide = false;  // column numbers of 32 bits

  [[nodiscard]] std::size_t type() const;  // place in the list of types of Matrix
  [[nodiscard]] double divisor() const;
};
// That of the rows of all members of the team, with so many columns (0: as many as the matrix has).
[[nodiscard]] SmallestStorage smallest_storage(const Matrix& matrix, std::uint64_t nonzeros,
                                               const Team& team = Threads(1), std::size_t cols = 0);

// The divisor and the arrays, as if `matrix` were stored like this.
void add_rows(Fingerprint& hash, const Matrix& matrix, const SmallestStorage& storage);
// The parts of these arrays that belong to rows which others come before and after: where every row ends, with so many
// entries before them; column numbers; values.
void add_row_ends(Fingerprint& hash, const Matrix& matrix, std::uint64_t before);
void add_row_columns(Fingerprint& hash, const Matrix& matrix, const SmallestStorage& storage);
void add_row_values(Fingerprint& hash, const Matrix& matrix, const SmallestStorage& storage);

}  // namespace halfspace
