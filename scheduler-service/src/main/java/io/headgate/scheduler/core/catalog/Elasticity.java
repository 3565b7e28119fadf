package io.headgate.scheduler.core.catalog;

import java.time.Duration;

/// How an elastic pool grows and shrinks.
///
/// @param instance what one instance brings as a node
/// @param minInstances kept even when idle
/// @param maxInstances the most instances at a time
/// @param idleTimeout an instance without work is given back after this time
public record Elasticity(
    Instance instance, int minInstances, int maxInstances, Duration idleTimeout) {
  public Elasticity {
    if (minInstances < 0 || maxInstances < minInstances || idleTimeout.isNegative()) {
      throw new IllegalArgumentException(
          "minInstances %d, maxInstances %d, idleTimeout %s"
              .formatted(minInstances, maxInstances, idleTimeout));
    }
  }
}
