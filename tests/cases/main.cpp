// SPDX-License-Identifier: Apache-2.0
//
// gym_telemetry_cases FILE.jsonl [--driver NAME] [--id ID]
//
// Plays the cases of a file and says how each one went; data/README.md has the rules.
#include "case_file.hpp"
#include "drivers.hpp"
#include "isolated.hpp"
#include "verdict.hpp"

#include <cstdio>
#include <deque>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace gym::telemetry::cases {

namespace {

struct arguments {
    std::string file;
    std::string driver;
    std::string id;
};

std::optional<arguments> read_arguments(int count, char** values) {
    arguments to;
    for (int i = 1; i < count; ++i) {
        const std::string word = values[i];
        std::string* option = word == "--driver" ? &to.driver : word == "--id" ? &to.id : nullptr;
        if (option != nullptr) {
            if (++i == count) return std::nullopt;
            *option = values[i];
        } else if (to.file.empty() && !word.starts_with("--")) {
            to.file = word;
        } else {
            return std::nullopt;
        }
    }
    if (to.file.empty()) return std::nullopt;
    return to;
}

struct tally {
    int passed = 0;
    int failed = 0;
    int skipped = 0;

    void report(const std::string& id, const outcome& how) {
        std::string reason = how.reason;
        for (char& c : reason)
            if (c == '\n') c = ' ';
        if (how.is == outcome::kind::passed) {
            ++passed;
            std::printf("PASS %s\n", id.c_str());
        } else {
            const bool skip = how.is == outcome::kind::skipped;
            ++(skip ? skipped : failed);
            std::printf("%s %s: %s\n", skip ? "SKIP" : "FAIL", id.c_str(), reason.c_str());
        }
        std::fflush(stdout);
    }
};

// Cases under way, reported in the order of the file.
class queue {
public:
    explicit queue(tally& counts) : counts_(counts) {}

    void play(const std::string& id, const case_file& c) {
        const driver_entry* driver = find_driver(c.driver);
        if (driver == nullptr) {
            const std::string reason = "the driver " + c.driver + " is not carried yet";
            say(id, {outcome::kind::skipped, reason});
            return;
        }
        if (driver != driver_) finish_down_to(0);
        finish_down_to(driver->at_a_time - 1);
        driver_ = driver;
        started_.emplace_back(
            id, std::make_unique<isolated_play>([&] { driver->play(c); }, driver->limit));
    }

    void say(const std::string& id, const outcome& how) {
        finish_down_to(0);
        counts_.report(id, how);
    }

    void finish_down_to(std::size_t count) {
        for (; started_.size() > count; started_.pop_front())
            counts_.report(started_.front().first, started_.front().second->finish());
    }

private:
    tally& counts_;
    const driver_entry* driver_ = nullptr;
    std::deque<std::pair<std::string, std::unique_ptr<isolated_play>>> started_;
};

void play_line(const std::string& text, int number, const arguments& chosen, queue& to) {
    std::string id = "line " + std::to_string(number);
    try {
        const json_value line = parse_json(text);
        if (const std::string own = id_of_line(line); !own.empty()) id = own;
        const json_value* driver = line.find("driver");
        if (!chosen.id.empty() && id != chosen.id) return;
        if (!chosen.driver.empty() && (!driver || driver->text != chosen.driver)) return;
        to.play(id, read_case(line));
    } catch (const failure& error) {
        to.say(id, {outcome::kind::failed, error.what()});
    }
}

int run(const arguments& chosen) {
    std::ifstream file(chosen.file);
    if (!file) {
        std::fprintf(stderr, "gym_telemetry_cases: cannot read %s\n", chosen.file.c_str());
        return 2;
    }
    tally counts;
    queue cases(counts);
    int number = 0;
    for (std::string line; std::getline(file, line);) {
        ++number;
        if (line.find_first_not_of(" \t\r") != line.npos) play_line(line, number, chosen, cases);
    }
    cases.finish_down_to(0);
    std::printf("%d passed, %d failed, %d skipped\n", counts.passed, counts.failed, counts.skipped);
    return counts.failed > 0 ? 1 : 0;
}

}  // namespace

}  // namespace gym::telemetry::cases

int main(int count, char** values) {
    const auto chosen = gym::telemetry::cases::read_arguments(count, values);
    if (!chosen) {
        std::fputs("usage: gym_telemetry_cases FILE.jsonl [--driver NAME] [--id ID]\n", stderr);
        return 2;
    }
    return gym::telemetry::cases::run(*chosen);
}
