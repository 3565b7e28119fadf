/// The agent's durable records: assignments, ends, unacknowledged updates, the node's identity.
/// Every record is on disk before the agent acts on it.
@NullMarked
package io.headgate.agent.runtime.ledger;

import org.jspecify.annotations.NullMarked;
