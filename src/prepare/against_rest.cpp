// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/prepare/against_rest.hpp"

#include <algorithm>

#include "halfspace/core/label_text.hpp"

namespace halfspace {

std::string class_meant(const std::vector<std::string>& classes, const std::string& label) {
  if (std::find(classes.begin(), classes.end(), label) != classes.end()) return label;
  if (const auto wanted = label_number(label)) {
    for (const std::string& name : classes) {
      if (label_number(name) == wanted) return name;
    }
  }
  return label;
}

Dataset against_rest(const Dataset& data, const std::string& label) {
  return data.one_against_rest(class_meant(data.classes(), label));
}

}  // namespace halfspace
