package io.headgate.scheduler.core.ledger;

import io.headgate.scheduler.core.catalog.PoolId;
import java.time.Instant;

/// A pool's balance from a time on, until its next step.
public record PoolStep(PoolId pool, Instant at, PoolBalance balance) {}
