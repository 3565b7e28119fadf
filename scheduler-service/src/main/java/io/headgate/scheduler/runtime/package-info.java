/// The shell's inside: one thread owns the core, takes a batch of commands, decides, commits inputs
/// and effects in one transaction, and only then acts. The ports through which it reaches the
/// database, the agents and the catalogs are here; their implementations are not.
@NullMarked
package io.headgate.scheduler.runtime;

import org.jspecify.annotations.NullMarked;
