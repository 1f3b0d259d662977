// SPDX-License-Identifier: Apache-2.0
#include "tool_run.hpp"

#include "compare.hpp"
#include "values.hpp"
#include "verdict.hpp"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gym::telemetry::cases {

namespace {

using namespace std::chrono_literals;

std::string tool_path() {
    const auto beside = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "gymtel";
    if (!std::filesystem::exists(beside)) throw skip("there is no gymtel beside this program");
    return beside;
}

[[noreturn]] void become_tool(const std::string& tool, const case_folder& folder,
                              std::vector<std::string> arguments) {
    std::vector<char*> argv;
    arguments.insert(arguments.begin(), "gymtel");
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    const int out = open(folder.path("..stdout").c_str(), O_WRONLY | O_CREAT, 0600);
    const int err = open(folder.path("..stderr").c_str(), O_WRONLY | O_CREAT, 0600);
    const int in = open("/dev/null", O_RDONLY);
    dup2(in, 0);
    dup2(out, 1);
    dup2(err, 2);
    if (chdir(folder.path(".").c_str()) == 0) execv(tool.c_str(), argv.data());
    _exit(127);
}

void play_script(const json_value& script, const case_folder& folder) {
    for (const json_value& step : script.items) {
        if (const json_value* pause = step.find("sleep_ms")) {
            std::this_thread::sleep_for(std::chrono::milliseconds(int64_of(*pause)));
        } else {
            std::ofstream file(folder.path("rollouts.jsonl"), std::ios::binary | std::ios::app);
            file << text_of(step);
        }
    }
}

point point_of(const json_value& from) {
    point to;
    to.instrument = from.find("instrument")->text;
    const json_value* count = from.find("count");
    for (const auto& [key, value] : from.find("attributes")->members)
        to.attributes.emplace_back(key, value.is == json_value::type::boolean
                                            ? attribute_value(value.flag)
                                            : attribute_value(value.text));
    if (count == nullptr) {
        const json_value& value = *from.find("value");
        const auto integer = exact_int64_of(value);
        if (integer)
            to.value = *integer;
        else
            to.value = number_of(value);
        return to;
    }
    histogram_value h;
    h.count = static_cast<std::uint64_t>(int64_of(*count));
    if (const json_value* sum = from.find("sum")) h.sum = number_of(*sum);
    if (const json_value* min = from.find("min")) h.min = number_of(*min);
    if (const json_value* max = from.find("max")) h.max = number_of(*max);
    if (const json_value* bounds = from.find("bounds"))
        for (const json_value& bound : bounds->items) h.bounds.push_back(number_of(bound));
    if (const json_value* buckets = from.find("bucket_counts"))
        for (const json_value& bucket : buckets->items)
            h.bucket_counts.push_back(static_cast<std::uint64_t>(int64_of(bucket)));
    to.value = std::move(h);
    return to;
}

}  // namespace

std::vector<point> tool_result::points() const {
    const json_value* list = json.find("points");
    require(list != nullptr && list->is_array(), "stdout holds no points: " + out.substr(0, 200));
    std::vector<point> to;
    for (const json_value& item : list->items) {
        to.push_back(point_of(item));
        to.back().kind = kind_of(item.find("kind")->text);
    }
    return to;
}

std::int64_t tool_result::count(std::string_view key) const {
    const json_value* value = json.find(key);
    require(value != nullptr && is_int_form(*value), "stdout says nothing of " + std::string(key));
    return int64_of(*value);
}

tool_result run_tool(const case_file& c, const case_folder& folder, const call& f) {
    std::vector<std::string> arguments;
    for (const json_value& argument : f.at("argv").items) arguments.push_back(text_of(argument));
    const std::string tool = tool_path();
    const pid_t child = fork();
    require(child >= 0, "no child");
    if (child == 0) become_tool(tool, folder, arguments);
    if (const json_value* script = c.given.find("append_script")) {
        play_script(*script, folder);
        std::this_thread::sleep_for(500ms);
        kill(child, SIGINT);
    }
    tool_result result;
    rusage used{};
    wait4(child, &result.status, 0, &used);
    result.peak_rss_mib = static_cast<double>(used.ru_maxrss) / 1024;
    result.out = folder.read("..stdout");
    result.err = folder.read("..stderr");
    try {
        if (!result.out.empty()) result.json = parse_json(result.out);
    } catch (const failure&) {
        result.json = {};  // a report for people; what needs the object says so
    }
    return result;
}

}  // namespace gym::telemetry::cases
