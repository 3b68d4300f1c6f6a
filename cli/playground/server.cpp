// SPDX-License-Identifier: BSD-3-Clause
// One thread for the network, which never waits, and one for the engine, which may. Boost.Beast reads the requests.
#include "playground/server.hpp"

#include <fmt/format.h>
#include <sys/random.h>
#include <sys/resource.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/span_body.hpp>
#include <boost/beast/http/write.hpp>
#include <chrono>
#include <csignal>
#include <memory>
#include <new>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "halfspace/core/error.hpp"
#include "playground/rules.hpp"

namespace halfspace::cli {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using Failure = boost::beast::error_code;

std::chrono::nanoseconds duration(double seconds) {
  return std::chrono::nanoseconds(static_cast<std::int64_t>(seconds * 1e9));
}

// What all connections share; used by the thread of the network alone, but for `answer`.
struct Shared {
  explicit Shared(const ServerSetup& given) : setup(given) {}
  const ServerSetup& setup;
  Site site;
  StopHandle stop = StopHandle::make();
  std::size_t connections = 0;
  std::size_t most_connections = 0;
  std::size_t waiting = 0;  // questions at the engine
  // Last: what they still hold when they go are connections, which count themselves off above.
  asio::io_context network{1};
  asio::thread_pool engine{1};
};

using Response = http::response<http::string_body>;
using PageResponse = http::response<http::span_body<const char>>;  // one page for all, never copied

template <class Body>
http::response<Body> response_with(http::status status, unsigned version) {
  http::response<Body> out(status, version);
  out.set(http::field::cache_control, "no-store");
  out.set(http::field::x_frame_options, "DENY");
  out.set("X-Content-Type-Options", "nosniff");
  out.set("Referrer-Policy", "no-referrer");
  out.set("Cross-Origin-Resource-Policy", "same-origin");
  return out;
}

Response refusal(http::status status, unsigned version) {
  auto out = response_with<http::string_body>(status, version);
  out.set(http::field::content_type, "text/plain");
  if (status == http::status::service_unavailable) out.set(http::field::retry_after, "1");
  if (status == http::status::method_not_allowed) out.set(http::field::allow, "GET, HEAD, POST");
  const auto reason = http::obsolete_reason(status);
  out.body().assign(reason.data(), reason.size());
  out.body() += "\n";
  out.keep_alive(false);
  out.prepare_payload();
  return out;
}

// What a request that could not be read is told; nothing: the connection just ends.
std::optional<http::status> status_of(const Failure& failure) {
  if (failure == http::error::header_limit) return http::status::request_header_fields_too_large;
  if (failure == http::error::body_limit) return http::status::payload_too_large;
  if (failure == http::error::end_of_stream || failure == http::error::partial_message) return std::nullopt;
  if (failure.category() == http::make_error_code(http::error::bad_method).category())
    return http::status::bad_request;
  return std::nullopt;  // closed by the other side, or too slow
}

// One connection: a request, its answer, and perhaps the next one. Alive as long as something is under way.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(tcp::socket socket, Shared& shared) : stream_(std::move(socket)), shared_(shared) {
    ++shared_.connections;
  }
  ~Connection() { --shared_.connections; }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void read_request() {
    parser_.emplace();
    parser_->header_limit(shared_.setup.limits.header_bytes);
    parser_->body_limit(shared_.setup.limits.body_bytes);
    // For head and body together, however slowly the bytes come.
    stream_.expires_after(duration(shared_.setup.limits.seconds));
    http::async_read_header(stream_, buffer_, *parser_,
                            [self = shared_from_this()](const Failure& failure, std::size_t) {
                              failure ? self->refuse(failure) : self->judge();
                            });
  }

 private:
  // Before the body: what is refused is not read.
  void judge() {
    ruling_ = judge_request(parser_->get().base(), shared_.site, shared_.setup.limits);
    version_ = parser_->get().version() == 10 ? 10 : 11;
    if (ruling_.status != http::status::ok) return send(refusal(ruling_.status, version_));
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](const Failure& failure, std::size_t) {
                       failure ? self->refuse(failure) : self->serve_request();
                     });
  }

  void serve_request() {
    keep_alive_ = parser_->get().keep_alive();
    if (ruling_.wanted == Wanted::Page) return send_page();
    if (shared_.waiting >= shared_.setup.limits.queue)
      return send(refusal(http::status::service_unavailable, version_));
    ++shared_.waiting;
    stream_.expires_never();
    asio::post(shared_.engine, [self = shared_from_this(), question = std::move(parser_->get().body())] {
      self->ask(question);
    });
  }

  // On the engine's thread: touches nothing of the network.
  void ask(const std::string& question) {
    auto answer = std::make_shared<std::string>();
    http::status status = http::status::ok;
    try {
      *answer = shared_.setup.answer(question, shared_.stop);
    } catch (const Stopped&) {
      status = http::status::service_unavailable;
    } catch (const std::bad_alloc&) {
      status = http::status::service_unavailable;
    } catch (const std::exception&) {
      status = http::status::internal_server_error;
    }
    asio::post(shared_.network, [self = shared_from_this(), answer, status] {
      --self->shared_.waiting;
      if (status != http::status::ok) return self->send(refusal(status, self->version_));
      auto out = response_with<http::string_body>(http::status::ok, self->version_);
      out.set(http::field::content_type, "application/json");
      out.body() = std::move(*answer);
      out.keep_alive(self->keep_alive_);
      out.prepare_payload();
      self->send(std::move(out));
    });
  }

  void send_page() {
    const std::string_view page = shared_.setup.page;
    page_.emplace(response_with<http::span_body<const char>>(http::status::ok, version_));
    page_->set(http::field::content_type, "text/html; charset=utf-8");
    page_->keep_alive(keep_alive_);
    page_->content_length(page.size());
    page_->body() = {page.data(), ruling_.head ? 0 : page.size()};
    page_serializer_.emplace(*page_);
    write(*page_serializer_, keep_alive_);
  }

  void refuse(const Failure& failure) {
    if (const std::optional<http::status> status = status_of(failure)) send(refusal(*status, 11));
  }

  void send(Response out) {
    response_ = std::move(out);
    serializer_.emplace(*response_);
    write(*serializer_, response_->keep_alive());
  }

  template <class Serializer>
  void write(Serializer& serializer, bool keep_alive) {
    stream_.expires_after(duration(shared_.setup.limits.seconds));
    const auto done = [self = shared_from_this(), keep_alive](const Failure& failure, std::size_t) {
      self->serializer_.reset();
      self->response_.reset();
      self->page_serializer_.reset();
      self->page_.reset();
      !failure&& keep_alive ? self->read_request() : self->close();
    };
    if (ruling_.head)
      http::async_write_header(stream_, serializer, done);
    else
      http::async_write(stream_, serializer, done);
  }

  void close() {
    Failure ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    stream_.close();
  }

  boost::beast::tcp_stream stream_;
  Shared& shared_;
  boost::beast::flat_buffer buffer_{16 * 1024 + 1024 * 1024};
  std::optional<http::request_parser<http::string_body>> parser_;
  std::optional<Response> response_;
  std::optional<http::response_serializer<http::string_body>> serializer_;
  std::optional<PageResponse> page_;
  std::optional<http::response_serializer<http::span_body<const char>>> page_serializer_;
  Ruling ruling_;
  unsigned version_ = 11;
  bool keep_alive_ = false;
};

class Listener {
 public:
  Listener(Shared& shared, std::uint16_t port)
      : shared_(shared), acceptor_(shared.network), pause_(shared.network) {
    const tcp::endpoint here(asio::ip::address_v4::loopback(), port);
    Failure failure;
    acceptor_.open(here.protocol(), failure);
    if (!failure) acceptor_.set_option(asio::socket_base::reuse_address(true), failure);
    if (!failure) acceptor_.bind(here, failure);
    if (!failure) acceptor_.listen(asio::socket_base::max_listen_connections, failure);
    if (failure) throw SystemError(fmt::format("cannot listen on 127.0.0.1:{}: {}", port, failure.message()));
    shared_.site.port = acceptor_.local_endpoint().port();
  }

  void accept() {
    acceptor_.async_accept([this](const Failure& failure, tcp::socket socket) {
      if (failure == asio::error::operation_aborted) return;
      if (failure) {  // no descriptor left: some connection will end
        pause_.expires_after(std::chrono::milliseconds(50));
        pause_.async_wait([this](const Failure& ended) {
          if (!ended) accept();
        });
        return;
      }
      // One too many is closed at once: those that are there have their time.
      if (shared_.connections < shared_.most_connections) {
        try {
          std::make_shared<Connection>(std::move(socket), shared_)->read_request();
        } catch (const std::exception&) {  // no memory for it: this one is lost, the server is not
        }
      }
      accept();
    });
  }

 private:
  Shared& shared_;
  tcp::acceptor acceptor_;
  asio::steady_timer pause_;
};

// As many connections as the limit of descriptors allows, which is raised for them if it may be.
std::size_t allowed_connections(std::size_t wanted) {
  constexpr rlim_t others = 32;
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return std::min<std::size_t>(wanted, 64);
  const rlim_t needed = wanted + others;
  if (limit.rlim_cur < needed) {
    rlimit raised = limit;
    raised.rlim_cur = limit.rlim_max == RLIM_INFINITY ? needed : std::min(needed, limit.rlim_max);
    if (setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
  }
  return limit.rlim_cur > others ? std::min<std::size_t>(wanted, limit.rlim_cur - others) : 1;
}

}  // namespace

std::string random_token() {
  constexpr std::string_view letters = "0123456789abcdefghijklmnopqrstuv";
  unsigned char bytes[32];
  for (std::size_t got = 0; got < sizeof bytes;) {
    const ssize_t more = getrandom(bytes + got, sizeof bytes - got, 0);
    if (more < 0 && errno == EINTR) continue;
    if (more <= 0) throw SystemError("the system gives no random numbers");
    got += static_cast<std::size_t>(more);
  }
  std::string out;
  for (const unsigned char byte : bytes) out += letters[byte % letters.size()];
  return out;
}

bool serve(const ServerSetup& setup) {
  Shared shared(setup);
  shared.site.token = random_token();
  shared.most_connections = allowed_connections(setup.limits.connections);
  Listener listener(shared, setup.port);
  bool asked = false;
  const auto end = [&shared] {
    shared.stop.cancel();
    shared.network.stop();
  };
  asio::signal_set signals(shared.network, SIGINT, SIGTERM);
  signals.async_wait([&](const Failure& failure, int) {
    if (failure) return;
    asked = true;
    end();
  });
  asio::steady_timer limit(shared.network);
  if (setup.seconds > 0) {
    limit.expires_after(duration(std::min(setup.seconds, 1e9)));
    limit.async_wait([&](const Failure& failure) {
      if (!failure) end();
    });
  }
  listener.accept();
  setup.ready(fmt::format("http://127.0.0.1:{}/{}/", shared.site.port, shared.site.token));
  while (!shared.network.stopped()) {
    try {
      shared.network.run();
    } catch (const std::exception&) {  // of one connection: no memory for its answer, say
    }
  }
  shared.engine.stop();
  shared.engine.join();
  return asked;
}

}  // namespace halfspace::cli
