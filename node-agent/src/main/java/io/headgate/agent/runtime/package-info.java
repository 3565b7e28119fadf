/// The loop of the agent: it owns the reconciler, carries out its effects, keeps the ledger and the
/// outbox, and looks after each attempt's supervisor.
@NullMarked
package io.headgate.agent.runtime;

import org.jspecify.annotations.NullMarked;
