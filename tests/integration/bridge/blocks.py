# SPDX-License-Identifier: Apache-2.0
"""Writes the C++ blocks of a page to files: blocks.py PAGE FILE..., one file a block, in order.
What a block's test needs besides stands in FOOTERS."""
import pathlib
import re
import sys

FOOTERS = {
    "begin_collected": """
std::unique_ptr<opentelemetry::sdk::metrics::MetricProducer> collect_by(
    opentelemetry::sdk::metrics::MetricReader& reader) {
    return begin_collected(reader);
}
""",
    "observe_startup": """
#include <prometheus/text_serializer.h>
std::string scraped_after(double ms) {
    prometheus::Registry registry;
    observe_startup(registry, ms);
    return prometheus::TextSerializer().Serialize(registry.Collect());
}
""",
}

page, *files = sys.argv[1:]
blocks = re.findall(r"```cpp\n(.*?)```", pathlib.Path(page).read_text(), re.S)
if len(blocks) != len(files):
    sys.exit(f"{page} has {len(blocks)} blocks, not {len(files)}")
for block, file in zip(blocks, files):
    footer = "".join(text for name, text in FOOTERS.items() if f"{name}(" in block)
    pathlib.Path(file).write_text(block + footer)
