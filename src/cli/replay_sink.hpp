// SPDX-License-Identifier: Apache-2.0
//
// Where the rows of a replay go: into the recorders, and into the few sums that no instrument has.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include <cli/console.hpp>
#include <rollout/line_reader.hpp>

namespace gymtel {

// Tokens of one environment, from response.usage.
struct token_sums {
    std::uint64_t input = 0;
    std::uint64_t output = 0;
    std::uint64_t input_unknown = 0;  // attempts that do not say
    std::uint64_t output_unknown = 0;
};

using tokens_by_environment = std::map<std::string, token_sums, std::less<>>;

class replay_sink : public gym::telemetry::rollout::row_sink {
public:
    replay_sink(console& out, bool health) : out_(out), health_(health) {}

    // Of the file whose rows come next. The texts must live until the next call. `note` is what is
    // wrong with the file itself, which tells more of a line that is refused at its end.
    void begin_file(std::string_view name, std::string_view outcome,
                    std::string_view note = {}) noexcept {
        name_ = name;
        outcome_ = outcome;
        note_ = note;
    }

    void accept(const gym::telemetry::rollout::row& r, std::string_view text,
                std::uint64_t line) override;
    void refuse(gym::telemetry::rollout::reject why, std::uint64_t line) override;

    std::uint64_t rows() const noexcept { return rows_; }
    std::uint64_t rejected() const noexcept { return rejected_; }
    std::uint64_t drained() const noexcept { return drained_; }
    // The oldest and newest positive response.created_at; 0 when no row has one.
    double oldest_s() const noexcept { return oldest_s_; }
    double newest_s() const noexcept { return newest_s_; }
    const tokens_by_environment& tokens() const noexcept { return tokens_; }

private:
    void evaluate_health(std::string_view text);
    token_sums& tokens_of(std::string_view environment);

    console& out_;
    bool health_;
    std::string_view name_;
    std::string_view outcome_;
    std::string_view note_;
    std::uint64_t rows_ = 0;
    std::uint64_t rejected_ = 0;
    std::uint64_t drained_ = 0;
    double oldest_s_ = 0;
    double newest_s_ = 0;
    tokens_by_environment tokens_;
    tokens_by_environment::value_type* last_tokens_ = nullptr;  // rows of one name come in a row
};

}  // namespace gymtel
