// SPDX-License-Identifier: Apache-2.0
//
// A provider whose sandboxes are folders: create, run commands, release, with telemetry around it.
//     NEMO_GYM_OTEL_ENABLED=1 NEMO_GYM_OTEL_SPAN_GROUPS=sandbox ./example_sandbox_provider
#include <gym/telemetry/lifecycle.hpp>
#include <gym/telemetry/sandbox.hpp>
#include <gym/telemetry/sandbox_retry.hpp>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace fs = std::filesystem;
namespace gt = gym::telemetry;

class folder_provider {
public:
    // Fails the first time, as a busy provider does.
    std::string create() {
        if (attempts_++ == 0) throw std::runtime_error("no capacity");
        std::string path = (fs::temp_directory_path() / "sandbox-XXXXXX").string();
        if (mkdtemp(path.data()) == nullptr) throw std::runtime_error("no folder");
        return path;
    }
    int run(const std::string& sandbox, const std::string& command) {
        return std::system(("cd '" + sandbox + "' && " + command).c_str());
    }
    // A sandbox that is gone already is as good as released.
    gt::release_result remove(const std::string& sandbox) {
        return fs::remove_all(sandbox) > 0 ? gt::release_result::released
                                           : gt::release_result::not_found;
    }

private:
    int attempts_ = 0;
};

int main() {
    gt::init();
    folder_provider provider;
    const gt::create_retries retries{.attempts = 3, .first_pause = std::chrono::milliseconds(10)};
    {
        auto box = gt::start_sandbox(
            "folder",
            [&] {
                return gt::retry_sandbox_create("folder", retries,
                                                [&] { return provider.create(); });
            },
            [&](const std::string& path) { return provider.remove(path); });
        const int code = box.exec([&](const std::string& path) {
            return provider.run(path, "echo 42 > answer && grep -q 42 answer");
        });
        std::printf("exit code %d in %s\n", code, box.handle().c_str());
        if (code != 0) return 1;
    }  // released here, at the latest
    gt::shutdown();
    return 0;
}
