// SPDX-License-Identifier: Apache-2.0
//
// Makes the golden files of a folder: of each hand-made NAME.textproto the bytes NAME.pb and the
// OTLP JSON NAME.json. libprotobuf alone does it, and nothing of the library is linked: what an
// encoder is compared with must not come from itself.
#include "golden_text.hpp"

#include <cstdio>
#include <filesystem>

int main(int argc, char** argv) {
    namespace fs = std::filesystem;
    namespace golden = gym::telemetry::golden;
    if (argc != 2) return 2;
    for (const auto& entry : fs::directory_iterator(argv[1])) {
        if (entry.path().extension() != ".textproto") continue;
        const auto message = golden::read_message(entry.path());
        if (message == nullptr) {
            std::fprintf(stderr, "%s cannot be read\n", entry.path().c_str());
            return 1;
        }
        fs::path target = entry.path();
        golden::write_file(target.replace_extension(".pb"), message->SerializeAsString());
        golden::write_file(target.replace_extension(".json"), golden::json_of(*message) + '\n');
    }
    return 0;
}
