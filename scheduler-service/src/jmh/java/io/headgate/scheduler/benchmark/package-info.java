/// How fast the scheduling core decides, and what it costs in memory. One command: see docs/benchmarks/core.md
/// of the module.
@NullMarked
package io.headgate.scheduler.benchmark;

import org.jspecify.annotations.NullMarked;
