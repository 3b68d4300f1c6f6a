// SPDX-License-Identifier: BSD-3-Clause
#include "data/storage/row_products.hpp"

#include "core/relief.hpp"
#include "core/simd/row_loops.hpp"

namespace halfspace {
template <class View>
void dot_rows(const View& view, std::size_t begin, std::size_t end, const double* w, double* out) noexcept {
  const bool counts = counts_pages();
  for (std::size_t i = begin; i < end; ++i) {
    if (counts) [[unlikely]]
      count_pages(view, i);
    out[i - begin] = dot(view.row(i), w);
  }
}

template <class View>
void dot_rows_planes(const View& view, std::size_t begin, std::size_t end, const double* w,
                     std::size_t planes, double* out) noexcept {
  const bool counts = counts_pages();
  for (std::size_t i = begin; i < end; ++i) {
    if (counts) [[unlikely]]
      count_pages(view, i);
    detail::vector_planes(view.row(i), w, planes, out + (i - begin) * planes);
  }
}

template <class V>
using Narrow = CsrView<V, std::uint16_t>;

#define HALFSPACE_ROW_PRODUCTS(View)                                                               \
  template void dot_rows(const View&, std::size_t, std::size_t, const double*, double*) noexcept;  \
  template void dot_rows_planes(const View&, std::size_t, std::size_t, const double*, std::size_t, \
                                double*) noexcept
HALFSPACE_ROW_PRODUCTS(CsrView<One>);
HALFSPACE_ROW_PRODUCTS(CsrView<float>);
HALFSPACE_ROW_PRODUCTS(CsrView<Decimal>);
HALFSPACE_ROW_PRODUCTS(CsrView<double>);
HALFSPACE_ROW_PRODUCTS(Narrow<One>);
HALFSPACE_ROW_PRODUCTS(Narrow<float>);
HALFSPACE_ROW_PRODUCTS(Narrow<Decimal>);
HALFSPACE_ROW_PRODUCTS(Narrow<double>);
HALFSPACE_ROW_PRODUCTS(DenseView<float>);
HALFSPACE_ROW_PRODUCTS(DenseView<Decimal>);
HALFSPACE_ROW_PRODUCTS(DenseView<double>);

}  // namespace halfspace
