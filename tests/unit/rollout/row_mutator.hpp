// SPDX-License-Identifier: Apache-2.0
//
// Rows that are nearly right: the same ones in every run.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace gym::telemetry::rollout {

class row_mutator {
public:
    explicit row_mutator(std::uint32_t seed) : random_(seed) {}

    // One line without newlines.
    std::string next() {
        std::string row = seeds()[below(seeds().size())];
        for (std::size_t n = below(4); n > 0; --n) mutate(row);
        for (char& c : row)
            if (c == '\n') c = ' ';
        return row;
    }

private:
    static const std::vector<std::string>& seeds() {
        static const std::vector<std::string> rows = {
            R"({"_ng_task_index":0,"agent_ref":{"name":"env","type":"a"},"reward":1.0})",
            R"({ "reward" : -0.5e-3 , "mask_sample" : true , "x" : [ ] , "y" : { } })",
            R"({"agent_ref":{"name":"a","name":"b\u00e9\ud83d\ude00\ud800"},"reward":1e999})",
            R"({"_ng_environment_server":"","agent_ref":null,"reward":"1","_ng_dispatch_drained":0})",
            R"({"_ng_environment_server":"s\"\\\/\b\f\n\r\t","reward":null,"reward":0.25})",
            R"({"response":{"usage":{"input_tokens":244,"output_tokens":16},"created_at":17.5}})",
            R"({"response":{"usage":null,"usage":{"input_tokens":2.0}},"re\u0077ard":0.1,"z":[[1]]})",
            R"({"_ng_failure_class":"agent_run_error","failure_kind":"k","_ng_failure_type":5})",
            R"({"_ng_dispatch_drained":{},"_ng_dispatch_drained":[0],"a":[{"reward":3},false,null]})",
            "{\"reward\":-12345678901234567890123,\"t\":\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"}",
            R"({"reward":0.9999999999999998,"n":[-0,0.0,1E+2,1e-400,123456789012345678901234567890]})",
            R"([{"reward":1.0}])",
            R"("reward")",
            R"({"deep":[[[[[[[[[[[[{"a":[{"b":[]}]}]]]]]]]]]]]],"agent_ref":{"name":1}})",
        };
        return rows;
    }

    std::size_t below(std::size_t n) {
        return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_);
    }

    std::string token() {
        static constexpr std::string_view tokens[] = {"{",
                                                      "}",
                                                      "[",
                                                      "]",
                                                      ":",
                                                      ",",
                                                      "\"",
                                                      "\\",
                                                      "\\u",
                                                      "\\ud83d",
                                                      "\\\\",
                                                      "true",
                                                      "null",
                                                      "false",
                                                      "NaN",
                                                      "Infinity",
                                                      "-",
                                                      "+",
                                                      ".",
                                                      "e",
                                                      "E9",
                                                      "0",
                                                      "01",
                                                      "1e5",
                                                      " ",
                                                      "\t",
                                                      "\r",
                                                      "\f",
                                                      "\x1f",
                                                      "\x7f",
                                                      "\xff",
                                                      "\xc3",
                                                      "\xed\xa0\x80",
                                                      "\xf4\x90\x80\x80",
                                                      "\xef\xbb\xbf",
                                                      "\"reward\":",
                                                      "\"name\":",
                                                      "{}",
                                                      "[]",
                                                      "\"\"",
                                                      "//",
                                                      "\x0c",
                                                      "\x1a",
                                                      "1e-999",
                                                      "x"};
        if (below(20) == 0) return std::string(1, '\0');
        return std::string(tokens[below(std::size(tokens))]);
    }

    void mutate(std::string& row) {
        if (row.empty()) return;
        const std::size_t at = below(row.size());
        switch (below(5)) {
            case 0:
                row.erase(at, 1 + below(3));
                break;
            case 1:
                row.insert(at, token());
                break;
            case 2:
                row.replace(at, 1, token());
                break;
            case 3:
                row.insert(at, row.substr(below(row.size()), 1 + below(20)));
                break;
            default:
                row.resize(at);
                break;
        }
    }

    std::mt19937 random_;
};

}  // namespace gym::telemetry::rollout
