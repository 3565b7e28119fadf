/// The scheduling core in virtual time: from a scenario to its decisions. Pure, like the core: no
/// I/O, clock, lock, log or randomness, so that the same scenario always has the same output.
@NullMarked
package io.headgate.scheduler.simulation;

import org.jspecify.annotations.NullMarked;
