/// The machine's side of an attempt: its directory, its supervisor and how to talk to it, its logs,
/// and the few system calls that Java has no word for.
@NullMarked
package io.headgate.agent.process;

import org.jspecify.annotations.NullMarked;
