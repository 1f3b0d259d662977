// SPDX-License-Identifier: Apache-2.0
//
// Supervisor and server as processes of their own, one of them Python each time.
#include <gym/telemetry/lifecycle.hpp>
#include <gym/telemetry/startup.hpp>
#include <gym/telemetry/trace.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <simdjson.h>

namespace gym::telemetry {
namespace {

namespace fs = std::filesystem;
namespace dom = simdjson::dom;
using testing::HasSubstr;

const std::string peer =
    "python3 " GYM_TELEMETRY_SOURCE_DIR "/tests/integration/startup/startup_peer.py ";
const std::string programs = GYM_TELEMETRY_BINARY_DIR "/bin/";

// What the command prints; it must end with 0.
std::string output_of(const std::string& command) {
    FILE* const pipe = popen(command.c_str(), "r");
    std::string text;
    std::array<char, 4096> part{};
    while (std::fgets(part.data(), part.size(), pipe) != nullptr) text += part.data();
    EXPECT_EQ(pclose(pipe), 0) << command << '\n' << text;
    return text;
}

class StartupProcesses : public testing::Test {
protected:
    StartupProcesses() {
        std::string name = testing::TempDir() + "startup-XXXXXX";
        folder = mkdtemp(name.data());
        exported = folder + "/telemetry.jsonl";
    }
    ~StartupProcesses() override {
        shutdown();
        fs::remove_all(folder);
    }
    std::string folder;
    std::string exported;
};

// The spans of a file of OTLP JSON lines, by name: trace id and parent.
std::map<std::string, std::pair<std::string, std::string>> spans_of(const std::string& file) {
    std::map<std::string, std::pair<std::string, std::string>> spans;
    dom::parser parser;
    for (dom::element line : parser.load_many(file)) {
        dom::array resources;
        if (line["resourceSpans"].get(resources) != simdjson::SUCCESS) continue;
        for (dom::element resource : resources)
            for (dom::element scope : resource["scopeSpans"])
                for (dom::element span : scope["spans"]) {
                    std::string_view parent;
                    if (span["parentSpanId"].get(parent) != simdjson::SUCCESS) parent = "none";
                    spans[std::string(std::string_view(span["name"]))] = {
                        std::string(std::string_view(span["traceId"])), std::string(parent)};
                }
    }
    return spans;
}

TEST_F(StartupProcesses, PythonSupervisorLaunchShellAndCppServer) {
    const std::string environment =
        "NEMO_GYM_OTEL_ENABLED=1 NEMO_GYM_OTEL_SPAN_GROUPS=startup "
        "NEMO_GYM_OTEL_EXPORTER=file NEMO_GYM_OTEL_FILE=" +
        exported + ' ';
    output_of(environment + peer + "supervise " + programs + "gymtel " + programs +
              "example_server_startup");
    const auto spans = spans_of(exported);
    ASSERT_EQ(spans.count("gym.server.startup"), 1u);
    const auto& [trace, parent] = spans.at("gym.server.startup");
    EXPECT_EQ(trace, "0123456789abcdef0123456789abcdef");
    EXPECT_EQ(parent, "fedcba9876543210");
    std::set<std::string> stages;
    for (const auto& [name, ids] : spans)
        if (name.starts_with("gym.server.startup.")) stages.insert(name.substr(19));
    EXPECT_EQ(stages,
              (std::set<std::string>{"venv_setup", "interpreter_start", "load_config",
                                     "init_telemetry", "configure_app", "uvicorn_startup"}));
    std::ifstream in(exported);
    EXPECT_THAT((std::ostringstream() << in.rdbuf()).str(),
                HasSubstr("gym.server.startup_stage_duration_ms"));
}

TEST_F(StartupProcesses, CppSupervisorAndPythonServer) {
    init({.enabled = true,
          .span_groups = "startup",
          .exporter = "memory",
          .ignore_environment = true});
    supervisor_startup supervisor;
    supervisor.begin_trace();
    std::string command;
    for (const auto& [name, value] : supervisor.server_environment("srv"))
        command += name + '=' + value + ' ';
    const std::string answer = output_of(command + peer + "serve");
    supervisor.server_ready("srv");
    supervisor.finish();

    dom::parser parser;
    const dom::element said = parser.parse(answer);
    const std::int64_t started_ns = said["interpreter_start_ns"];
    EXPECT_GT(started_ns, 0);
    EXPECT_LT(started_ns, 60'000'000'000);
    const auto spans = collect_spans();
    const auto server = std::ranges::find(spans, "gym.startup.server", &finished_span::name);
    ASSERT_NE(server, spans.end());
    const std::string context = format_traceparent(server->context);
    EXPECT_EQ(context.substr(3, 32), std::string(std::string_view(said["trace"].at(0))));
    EXPECT_EQ(context.substr(36, 16), std::string(std::string_view(said["trace"].at(1))));
    // The server's own start lies within what its supervisor saw.
    EXPECT_GE(server->end_ns - server->start_ns, started_ns);
}

}  // namespace
}  // namespace gym::telemetry
