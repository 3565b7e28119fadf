/// The scheduling core: a deterministic state machine from inputs and a time to effects.
///
/// It performs no I/O and knows no clock, random source, log, metric, thread or lock; it imports
/// nothing but `java.lang`, `java.time`, `java.util`, jspecify and `io.headgate.type`. The shell
/// feeds [io.headgate.scheduler.core.SchedulerCore] from one thread and carries out what it
/// decides.
@NullMarked
package io.headgate.scheduler.core;

import org.jspecify.annotations.NullMarked;
