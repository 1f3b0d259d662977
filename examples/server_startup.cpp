// SPDX-License-Identifier: Apache-2.0
//
// A server that tells where the time of its start went. Its supervisor, in any language, sets
// NEMO_GYM_STARTUP_SPAWN_NS, its launch shell NEMO_GYM_STARTUP_SETUP_DONE_NS.
//     NEMO_GYM_OTEL_ENABLED=1 NEMO_GYM_OTEL_SPAN_GROUPS=startup ./example_server_startup math
#include <gym/telemetry/lifecycle.hpp>
#include <gym/telemetry/startup.hpp>

#include <cstdio>
#include <string>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

int main(int argc, char** argv) {
    namespace gt = gym::telemetry;
    gt::server_startup startup({.server_type = "resources_servers"});  // first of all

    const std::string name = argc > 1 ? argv[1] : "example";  // stands for a configuration file
    startup.name_server(name, "resources_servers");
    startup.mark("load_config");

    gt::init({.server_name = name});
    startup.mark("init_telemetry");

    const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return 1;
    startup.mark("configure_app");

    if (listen(listener, 8) != 0) return 1;
    startup.serving();
    for (const gt::startup_stage& stage : startup.stages())
        std::printf("%-20s %9.3f ms\n", stage.name.c_str(), stage.duration_ms());
    close(listener);
    gt::shutdown();
}
