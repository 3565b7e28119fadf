/// How fast the scheduling core decides, and its cost in memory: see docs/benchmarks/core.md.
@NullMarked
package io.headgate.scheduler.benchmark;

import org.jspecify.annotations.NullMarked;
