// SPDX-License-Identifier: Apache-2.0
//
// The lines of a file of emitted records as a stream of OTLP requests. Every request holds the
// totals of all lines since the file was made, cumulative whatever the temporality preference says,
// under the file's identity and start: whoever sends continues the same stream.
#pragma once

#include "engine/reader.hpp"
#include "export/guest_stream.hpp"
#include "export/metrics_request.hpp"
#include "handle/emitted_file.hpp"
#include "handle/emitted_sender.hpp"

#include <gym/telemetry/options.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace gym::telemetry::detail {

class emitted_stream final : public guest_stream {
public:
    emitted_stream(std::string file, const settings& config);

    std::string_view begin(bool last) override;
    void end(bool answered) noexcept override;

    std::int64_t recorded() const noexcept { return recorded_; }
    std::int64_t refused() const noexcept { return refused_; }
    // True when begin() found nobody else at it.
    bool is_claimed() const noexcept { return claimed_; }

private:
    bool read_new_lines();
    bool is_the_same(int file) const;
    void begin_anew();
    void take_line(std::string_view line, engine::thread_block& block);
    void take_lines(std::string_view text);
    std::string_view write_request();

    std::string file_;
    settings config_;
    std::shared_ptr<engine::generation> totals_;
    std::optional<engine::reader> reader_;
    std::optional<metrics_request_writer> writer_;
    std::optional<emitted_identity> identity_;
    std::optional<emitted_sender> sender_;
    std::int64_t identity_at_ = 0;  // where its line stands
    std::int64_t read_to_ = 0;      // lines up to there are in the totals
    std::int64_t answered_to_ = 0;  // and up to there in an answered request
    std::int64_t recorded_ = 0;
    std::int64_t refused_ = 0;
    std::int64_t told_refused_ = 0;
    bool claimed_ = false;
};

// The stream that the settings ask for; null when they do not, or when the gates are off.
std::unique_ptr<guest_stream> make_emitted_stream(const settings& config);

}  // namespace gym::telemetry::detail
