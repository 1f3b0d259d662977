# OTLP as libprotobuf writes it, of the hand-made messages in tests/golden/data
# SPDX-License-Identifier: Apache-2.0
dev build make_golden
build/bin/make_golden tests/golden/data
