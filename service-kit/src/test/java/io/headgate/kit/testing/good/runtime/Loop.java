package io.headgate.kit.testing.good.runtime;

import io.headgate.kit.testing.good.core.PureDecision;
import io.headgate.kit.time.TimeSource;
import java.time.Duration;
import java.util.Map;

/// A loop that owns a port.
public final class Loop {
  /// Where effects go.
  public interface Rows {
    void commit(int effects);
  }

  private final TimeSource time;
  private final Rows rows;

  public Loop(TimeSource time, Rows rows) {
    this.time = time;
    this.rows = rows;
  }

  public void pass() {
    rows.commit(PureDecision.decide(Map.of(), time.instant(), Duration.ZERO).size());
  }
}
