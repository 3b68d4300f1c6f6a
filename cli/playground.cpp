// SPDX-License-Identifier: BSD-3-Clause
// halfspace playground [DATA]
#include "halfspace/playground/playground.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "data_options.hpp"
#include "halfspace/core/error.hpp"
#include "playground/browser.hpp"
#include "playground/server.hpp"
#include "signals.hpp"
#include "verbs.hpp"

namespace halfspace::cli {
namespace {

class PlaygroundVerb final : public Command {
 public:
  void add_options(OptionList& options) override {
    options.argument("DATA", "labelled rows whose columns can be picked; may be left out", data_.path)
        .required = false;
    options.group("Options");
    options.value("--port", "PORT", "where the page is on 127.0.0.1; 0: any that is free", port_, {0, 65535});
    options.flag("--no-browser", "only print the address", no_browser_);
    data_.add_reading(options);
  }

  int run(const Common& common, Output& output) override {
    std::vector<std::string> notes;
    std::optional<Dataset> rows;
    if (!data_.path.empty()) {
      rows = read_data(data_, common, notes);
      if (!rows->labelled()) throw InputError({rows->name()}, "no labels", "labelled rows");
      for (const std::string& note : notes) output.note(note);
      output.line(describe_data(*rows, data_.path));
    }
    const Playground engine(std::move(rows));
    finish_in_order();  // signals belong to the server from here on
    ServerSetup setup;
    setup.port = static_cast<std::uint16_t>(port_);
    setup.page = playground_page();
    setup.answer = [&engine](std::string_view question, const StopHandle& stop) {
      return engine.answer(question, stop);
    };
    setup.ready = [&](const std::string& address) { tell(address, output); };
    if (std::isfinite(common.seconds)) setup.seconds = common.seconds;
    return serve(setup) ? exit_done : exit_limit;
  }

 private:
  void tell(const std::string& address, const Output& output) const {
    if (output.json()) {
      output.object({{"schema", "halfspace.playground/1"}, {"address", address}});
    } else {
      output.line(fmt::format("playground: {}", address));
    }
    close_output();  // who waits for the address reads it now
    if (!no_browser_ && !open_browser(address))
      output.note("no browser was found here: open the address in one");
    output.note("Ctrl-C ends it");
  }

  DataOptions data_;
  std::int64_t port_ = 0;
  bool no_browser_ = false;
};

}  // namespace

constinit const Verb playground_verb = {
    "playground",
    "[DATA] [options]",
    "a page on 127.0.0.1 to draw points and watch every algorithm at work",
    {"halfspace playground data/iris.csv", "halfspace playground --port 8080 --no-browser"},
    "Serves one page to this machine only, at an address nobody can guess, and opens it in a browser: draw, "
    "drag and "
    "flip points, step through updates, compare two algorithms, see the witness when no plane separates the "
    "classes. "
    "Every number is computed by this program. Ends with Ctrl-C.",
    [](const std::vector<std::string>&) -> std::unique_ptr<Command> {
      return std::make_unique<PlaygroundVerb>();
    }};

}  // namespace halfspace::cli
