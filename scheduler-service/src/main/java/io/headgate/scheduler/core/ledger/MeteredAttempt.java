package io.headgate.scheduler.core.ledger;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// One attempt that has slices: its present share, and what was told of it.
final class MeteredAttempt {
  final Holding holding;
  final long sequence;
  final long units;

  /// How long the job had waited; empty once that was told.
  Optional<Duration> waited;

  /// The part of its units that the reservation covers, and the part within the limit.
  long reserved;

  long limited;

  /// The interval that lasts: its beginning, share and terms. Null: none was told yet.
  @Nullable Open open;

  /// The split that its pool was told.
  Split counted = Split.NONE;

  record Open(Instant since, Split split, Terms terms) {}

  MeteredAttempt(Holding holding, long sequence, Optional<Duration> waited) {
    this.holding = holding;
    this.sequence = sequence;
    this.units = holding.place().units();
    this.waited = waited;
  }

  Split split() {
    return new Split(reserved, limited - reserved, units - limited);
  }
}
