// SPDX-License-Identifier: Apache-2.0
#include "export/gzip.hpp"

#include <cassert>
#include <limits>
#include <new>

#include <zlib.h>

namespace gym::telemetry::detail {

void gzip(std::string_view data, std::string& to) {
    constexpr int gzip_format = 16;  // added to the size of the window
    z_stream stream{};
    // Level 1: points are so alike that higher levels gain little (12 % at level 6) for five times
    // the time.
    if (deflateInit2(&stream, 1, Z_DEFLATED, MAX_WBITS + gzip_format, MAX_MEM_LEVEL,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        throw std::bad_alloc();
    to.resize(deflateBound(&stream, data.size()));
    assert(to.size() <= std::numeric_limits<uInt>::max());
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
    stream.avail_in = static_cast<uInt>(data.size());
    stream.next_out = reinterpret_cast<Bytef*>(to.data());
    stream.avail_out = static_cast<uInt>(to.size());
    [[maybe_unused]] const int done = deflate(&stream, Z_FINISH);
    assert(done == Z_STREAM_END);  // the buffer has room for the worst case
    to.resize(stream.total_out);
    deflateEnd(&stream);
}

}  // namespace gym::telemetry::detail
