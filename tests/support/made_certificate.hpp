// SPDX-License-Identifier: Apache-2.0
//
// A certificate for 127.0.0.1, made for the run by the openssl command.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace gym::telemetry::test {

class made_certificate {
public:
    made_certificate() {
        std::string pattern =
            (std::filesystem::temp_directory_path() / "gym-certificate-XXXXXX").string();
        folder_ = mkdtemp(pattern.data());
        const std::string command =
            "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 "
            "-subj /CN=localhost -addext subjectAltName=IP:127.0.0.1 -keyout " +
            key() + " -out " + certificate() + " >/dev/null 2>&1";
        is_there_ = std::system(command.c_str()) == 0;
    }
    ~made_certificate() { std::filesystem::remove_all(folder_); }
    made_certificate(const made_certificate&) = delete;
    made_certificate& operator=(const made_certificate&) = delete;

    bool is_there() const { return is_there_; }
    // Names of the files.
    std::string certificate() const { return folder_ + "/cert.pem"; }
    std::string key() const { return folder_ + "/key.pem"; }

private:
    std::string folder_;
    bool is_there_ = false;
};

}  // namespace gym::telemetry::test
