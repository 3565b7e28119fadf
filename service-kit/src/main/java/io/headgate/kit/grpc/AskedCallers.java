package io.headgate.kit.grpc;

import io.headgate.kit.time.TimeSource;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Callers that were asked lately to connect again. A client that always begins with a call without
/// a token would come back to the same loop, so each is asked a few times a minute only.
///
/// Thread-safe.
final class AskedCallers {
  /// Each minute: a caller may have several clients.
  static final int MOST = 3;

  static final Duration MINUTE = Duration.ofMinutes(1);

  /// Beyond this the eldest is forgotten.
  private static final int MOST_CALLERS = 10_000;

  private record Asked(long sinceNanos, int times) {}

  private final TimeSource time;
  // Guarded by this; those asked first come first.
  private final LinkedHashMap<String, Asked> callers = new LinkedHashMap<>();

  AskedCallers(TimeSource time) {
    this.time = time;
  }

  /// Whether the caller may be asked now; then it counts as asked.
  synchronized boolean mayAsk(String caller) {
    long now = time.monotonicNanos();
    @Nullable Asked last = callers.get(caller);
    if (last != null && now - last.sinceNanos() < MINUTE.toNanos()) {
      callers.put(caller, new Asked(last.sinceNanos(), Math.min(last.times() + 1, MOST)));
      return last.times() < MOST;
    }
    callers.putLast(caller, new Asked(now, 1));
    if (callers.size() > MOST_CALLERS) {
      Map.Entry<String, Asked> _ = callers.pollFirstEntry();
    }
    return true;
  }
}
