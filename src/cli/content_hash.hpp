// SPDX-License-Identifier: Apache-2.0
//
// A hash of a file's content, to tell one run from another: FNV-1a in 128 bits. Nobody gains
// anything by two files of the same hash, so it need not be cryptographic.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gymtel {

class content_hash {
public:
    void add(std::string_view bytes) noexcept {
        for (const char byte : bytes) {
            state_ ^= static_cast<unsigned char>(byte);
            state_ *= prime;
        }
    }
    // 32 hexadecimal digits.
    std::string text() const {
        constexpr std::string_view digits = "0123456789abcdef";
        std::string result;
        for (int shift = 124; shift >= 0; shift -= 4)
            result += digits[static_cast<std::size_t>(state_ >> shift & 15)];
        return result;
    }

private:
    __extension__ using number = unsigned __int128;
    static constexpr number prime = (number{1} << 88) | 0x13b;

    number state_ = (number{0x6c62272e07bb0142} << 64) | 0x62b821756295c58d;
};

}  // namespace gymtel
