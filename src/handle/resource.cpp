// SPDX-License-Identifier: Apache-2.0
#include "handle/resource.hpp"

#include "base/environment.hpp"
#include "handle/configuration.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>

#include <unistd.h>

namespace gym::telemetry::detail {

namespace {

int hex_digit(char c) noexcept {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

// Percent-decoded, as the OpenTelemetry specification has it; what is no escape stays as it is.
std::string decoded(std::string_view text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool escape = text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 &&
                            hex_digit(text[i + 2]) >= 0;
        if (escape) {
            result += static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2]));
            i += 2;
        } else {
            result += text[i];
        }
    }
    return result;
}

void add(resource_attributes& to, std::string key, std::string value) {
    const bool known = std::ranges::any_of(to, [&](const auto& each) { return each.first == key; });
    if (!known && !key.empty()) to.emplace_back(std::move(key), std::move(value));
}

std::string host_name() {
    std::array<char, 256> name{};
    return gethostname(name.data(), name.size() - 1) == 0 ? std::string(name.data()) : "";
}

}  // namespace

std::string make_instance_id() {
    std::random_device random;
    std::array<std::uint32_t, 4> bits = {random(), random(), random(), random()};
    bits[1] = (bits[1] & 0xffff0fffu) | 0x4000u;      // version 4
    bits[2] = (bits[2] & 0x3fffffffu) | 0x80000000u;  // variant of RFC 9562
    constexpr std::string_view digits = "0123456789abcdef";
    std::string id;
    for (int nibble = 0; nibble < 32; ++nibble) {
        if (nibble == 8 || nibble == 12 || nibble == 16 || nibble == 20) id += '-';
        id += digits[bits[nibble / 8] >> (28 - nibble % 8 * 4) & 15];
    }
    return id;
}

resource_attributes resource_of(const settings& config) {
    resource_attributes result;
    const service_identity identity = service_identity_of(config);
    add(result, "service.name", identity.name);
    if (!identity.group.empty()) add(result, "nemo.gym.service_group", identity.group);
    if (config.run_id) add(result, "nemo.run.id", *config.run_id);
    add(result, "service.instance.id", make_instance_id());
    add(result, "process.pid", std::to_string(getpid()));
    add(result, "host.name", host_name());
    add(result, "telemetry.sdk.name", "gym-telemetry");
    add(result, "telemetry.sdk.language", "cpp");
    add(result, "telemetry.sdk.version", GYM_TELEMETRY_VERSION);
    for (const std::string& item : parse_list(config.resource_attributes)) {
        const std::size_t equals = item.find('=');
        if (equals == item.npos) continue;
        add(result, decoded(trim(std::string_view(item).substr(0, equals))),
            decoded(trim(std::string_view(item).substr(equals + 1))));
    }
    return result;
}

}  // namespace gym::telemetry::detail
