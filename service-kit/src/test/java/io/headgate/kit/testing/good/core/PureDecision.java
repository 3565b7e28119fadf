package io.headgate.kit.testing.good.core;

import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A decision by values, with a record, an enum, a switch and a lambda, as any core has.
public final class PureDecision {
  public enum Kind {
    START,
    WAIT
  }

  public record Effect(Kind kind, @Nullable String reason) {}

  private PureDecision() {}

  public static List<Effect> decide(Map<String, GpuQuantity> queues, Instant now, Duration age) {
    return queues.entrySet().stream()
        .map(entry -> new Effect(kind(entry.getKey()), entry.getKey() + now.minus(age)))
        .filter(effect ->
            switch (effect.kind()) {
              case START -> true;
              case WAIT -> effect.reason() == null;
            })
        .toList();
  }

  private static Kind kind(String name) {
    return name.isEmpty() ? Kind.WAIT : Kind.START;
  }
}
