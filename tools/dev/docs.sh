# generates docs/instruments.md from the table of instruments
dev build describe_instruments
build/bin/describe_instruments | python3 tools/docs/instruments_page.py >build/instruments.md
mv build/instruments.md docs/instruments.md
