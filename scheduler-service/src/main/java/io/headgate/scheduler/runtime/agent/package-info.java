/// The conversation with agents: commands and reports, the stream of a node, and the dispatcher,
/// which sends what is durable in the order in which it was decided.
@NullMarked
package io.headgate.scheduler.runtime.agent;

import org.jspecify.annotations.NullMarked;
