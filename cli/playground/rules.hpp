// SPDX-License-Identifier: BSD-3-Clause
// What a request must look like before anything is done with it.
#pragma once

#include <boost/beast/http/fields.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>
#include <string>
#include <string_view>

#include "playground/server.hpp"

namespace halfspace::cli {

namespace http = boost::beast::http;
using HttpRequest = http::request<http::string_body>;
using HttpHeader = http::request_header<>;

// Where the server is.
struct Site {
  std::string token;
  std::uint16_t port = 0;
};

enum class Wanted { Page, Answer };
// What is wanted, or the status of a refusal.
struct Ruling {
  http::status status = http::status::ok;
  Wanted wanted = Wanted::Page;
  bool head = false;  // the page without its body
};
[[nodiscard]] Ruling judge_request(const HttpHeader& request, const Site& site, const ServerLimits& limits);

// The same for any two texts of one length, wherever they differ.
[[nodiscard]] bool same_secret(std::string_view given, std::string_view secret);

}  // namespace halfspace::cli
