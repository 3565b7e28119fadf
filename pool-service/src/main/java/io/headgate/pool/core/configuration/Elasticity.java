package io.headgate.pool.core.configuration;

import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/// The growth of an elastic pool.
///
/// @param provider the plug-in
/// @param settings the plug-in's own, which may hold credentials
/// @param idleTimeout after it, an idle instance is released
/// @param spot whether the provider may reclaim instances
public record Elasticity(
    String provider,
    Map<String, String> settings,
    Instance instance,
    int minInstances,
    int maxInstances,
    Duration idleTimeout,
    boolean spot) {
  public static final Duration DEFAULT_IDLE_TIMEOUT = Duration.ofMinutes(15);

  public Elasticity {
    settings = Collections.unmodifiableMap(new TreeMap<>(settings));
  }
}
