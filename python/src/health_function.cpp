// SPDX-License-Identifier: Apache-2.0
#include "health_function.hpp"

#include "paths.hpp"
#include "points.hpp"

#include <gym/telemetry/health.hpp>

#include <exception>

namespace gym::telemetry::python {

namespace {

health_report report_of(const health_report_options& options) {
    try {
        return run_health_report(options);
    } catch (const std::exception& e) {
        health_report failed;
        failed.error = e.what();
        return failed;
    }
}

owned path_of(const std::string& bytes) {
    return owned(
        PyUnicode_DecodeFSDefaultAndSize(bytes.data(), static_cast<Py_ssize_t>(bytes.size())));
}

}  // namespace

PyObject* health_report_of(PyObject*, PyObject* arguments) {
    PyObject *paths = nullptr, *folder = nullptr, *ignored = nullptr;
    unsigned workers = 0;
    health_report_options options;
    std::vector<std::string> folders;
    if (!PyArg_ParseTuple(arguments, "OOOI", &paths, &folder, &ignored, &workers)) return nullptr;
    const owned one(PyTuple_Pack(1, folder));
    if (!one || !read_paths(paths, options.files) || !read_paths(one.get(), folders) ||
        !read_paths(ignored, options.ignored_checks))
        return nullptr;
    options.output_folder = folders.front();
    if (workers > 0) options.workers = workers;
    health_report report;
    {
        const unlocked waits;
        report = report_of(options);
    }
    const owned error = str_of(report.error), summary = str_of(report.summary_json),
                summary_path = path_of(report.summary_path),
                verdicts_path = path_of(report.verdicts_path), text = str_of(report.text);
    if (!error || !summary || !summary_path || !verdicts_path || !text) return nullptr;
    return PyTuple_Pack(5, error.get(), summary.get(), summary_path.get(), verdicts_path.get(),
                        text.get());
}

}  // namespace gym::telemetry::python
