package io.headgate.kit.telemetry;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.turbo.TurboFilter;
import ch.qos.logback.core.spi.FilterReply;
import io.headgate.kit.time.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Marker;

/// Bounds the log lines of the network's libraries. They warn of faulty frames, with a stack trace
/// of kilobytes, and any client can send such frames. So a client could fill the disk. Each logger
/// writes [a few][#MOST] lines a minute. Thread-safe.
public final class LibraryWarnings extends TurboFilter {
  /// Lines of one logger in a minute.
  static final int MOST = 5;

  private static final long MINUTE = Duration.ofMinutes(1).toNanos();
  private static final List<String> LIBRARIES =
      List.of("io.netty.", "com.linecorp.armeria.", "io.grpc.");

  private final TimeSource time;
  private final Map<String, Written> written = new ConcurrentHashMap<>();

  /// Lines of the minute that began then.
  private record Written(long sinceNanos, int lines) {}

  /// Called by logback.
  public LibraryWarnings() {
    this(TimeSource.system());
  }

  LibraryWarnings(TimeSource time) {
    this.time = time;
  }

  @Override
  public FilterReply decide(
      @Nullable Marker marker,
      Logger logger,
      Level level,
      @Nullable String format,
      Object @Nullable [] params,
      @Nullable Throwable thrown) {
    // Also called to ask whether a level is on; then there is no text.
    if (format == null
        || !level.isGreaterOrEqual(Level.WARN)
        || LIBRARIES.stream().noneMatch(logger.getName()::startsWith)) {
      return FilterReply.NEUTRAL;
    }
    long now = time.monotonicNanos();
    Written lines =
        written.compute(
            logger.getName(),
            (_, before) ->
                before == null || now - before.sinceNanos() >= MINUTE
                    ? new Written(now, 1)
                    : new Written(before.sinceNanos(), before.lines() + 1));
    return lines.lines() > MOST ? FilterReply.DENY : FilterReply.NEUTRAL;
  }
}
