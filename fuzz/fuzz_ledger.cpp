// SPDX-License-Identifier: Apache-2.0
//
// A ledger file that another process, or nobody, wrote: it may hold anything.
#include "outside_bytes.hpp"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const gym::telemetry::test::file_of_bytes file;
    gym::telemetry::test::check_ledger(file, {reinterpret_cast<const char*>(data), size});
    return 0;
}
