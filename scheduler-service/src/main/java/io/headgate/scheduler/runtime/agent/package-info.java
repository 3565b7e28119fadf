/// The conversation with agents: commands and reports, the stream of a node, and the dispatcher,
/// which sends durable orders in the order of the decisions.
@NullMarked
package io.headgate.scheduler.runtime.agent;

import org.jspecify.annotations.NullMarked;
