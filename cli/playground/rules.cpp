// SPDX-License-Identifier: BSD-3-Clause
#include "playground/rules.hpp"

#include <fmt/format.h>

#include <boost/beast/core/string.hpp>
#include <boost/beast/http/field.hpp>
#include <boost/beast/http/verb.hpp>
#include <iterator>

namespace halfspace::cli {
namespace {

std::string_view plain(boost::beast::string_view text) { return {text.data(), text.size()}; }

std::string_view value_of(const HttpHeader& request, http::field name) {
  const auto found = request.find(name);
  return found == request.end() ? std::string_view() : plain(found->value());
}

// A page elsewhere can make a browser send requests here: by another name that leads to this machine (Host), or across
// sites (Origin).
bool from_here(const HttpHeader& request, const Site& site) {
  if (request.count(http::field::host) != 1 || request.count(http::field::origin) > 1) return false;
  const std::string_view host = value_of(request, http::field::host);
  const std::string_view origin = value_of(request, http::field::origin);
  for (const char* name : {"127.0.0.1", "localhost"}) {
    if (host != fmt::format("{}:{}", name, site.port)) continue;
    return request.count(http::field::origin) == 0 || origin == fmt::format("http://{}", host);
  }
  return false;
}

// Bodies have one length, said once; what says it twice, or another way, is how requests are smuggled.
http::status body_rule(const HttpHeader& request) {
  if (request.count(http::field::transfer_encoding) != 0) return http::status::not_implemented;
  if (request.count(http::field::content_length) > 1) return http::status::bad_request;
  const std::string_view length = value_of(request, http::field::content_length);
  if (length.find_first_not_of("0123456789") != std::string_view::npos) return http::status::bad_request;
  if (request.count(http::field::expect) != 0) return http::status::expectation_failed;
  if (request.count(http::field::upgrade) != 0) return http::status::bad_request;
  return http::status::ok;
}

bool is_json(std::string_view type) {
  const std::string_view name = type.substr(0, type.find(';'));
  return boost::beast::iequals({name.data(), name.size()}, "application/json");
}

}  // namespace

bool same_secret(std::string_view given, std::string_view secret) {
  if (given.size() != secret.size()) return false;
  unsigned char different = 0;
  for (std::size_t k = 0; k < secret.size(); ++k)
    different = static_cast<unsigned char>(
        different | (static_cast<unsigned char>(given[k]) ^ static_cast<unsigned char>(secret[k])));
  return different == 0;
}

Ruling judge_request(const HttpHeader& request, const Site& site, const ServerLimits& limits) {
  if (request.version() != 10 && request.version() != 11) return {http::status::http_version_not_supported};
  if (const http::status rule = body_rule(request); rule != http::status::ok) return {rule};
  if (static_cast<std::size_t>(std::distance(request.begin(), request.end())) > limits.header_count)
    return {http::status::request_header_fields_too_large};
  const std::string_view target = plain(request.target());
  if (target.size() > limits.target_bytes) return {http::status::uri_too_long};
  if (!from_here(request, site)) return {http::status::misdirected_request};
  // /TOKEN/ and /TOKEN/ask, byte by byte: no other spelling, no query.
  const std::size_t length = site.token.size();
  if (target.size() < length + 2 || target.front() != '/' || target[length + 1] != '/' ||
      !same_secret(target.substr(1, length), site.token))
    return {http::status::not_found};
  const std::string_view rest = target.substr(length + 2);
  const http::verb verb = request.method();
  if (rest.empty()) {
    if (verb != http::verb::get && verb != http::verb::head) return {http::status::method_not_allowed};
    return {http::status::ok, Wanted::Page, verb == http::verb::head};
  }
  if (rest != "ask") return {http::status::not_found};
  if (verb != http::verb::post) return {http::status::method_not_allowed};
  if (request.count(http::field::content_length) == 0) return {http::status::length_required};
  if (!is_json(value_of(request, http::field::content_type))) return {http::status::unsupported_media_type};
  return {http::status::ok, Wanted::Answer, false};
}

}  // namespace halfspace::cli
