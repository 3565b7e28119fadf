package io.headgate.kit.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.headgate.kit.testing.TestClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/// The warnings of libraries about a client do not fill the disk.
class LibraryWarningsTest {
  private final TestClock clock = new TestClock();
  private final LoggerContext context = new LoggerContext();
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();

  LibraryWarningsTest() {
    context.addTurboFilter(new LibraryWarnings(clock));
    log.start();
    context.getLogger(Logger.ROOT_LOGGER_NAME).addAppender(log);
  }

  @Test
  void aLoggerOfALibraryWritesAFewLinesAMinute() {
    warn("io.netty.handler.codec.Something");
    assertThat(log.list).hasSize(LibraryWarnings.MOST);
    warn("io.netty.handler.codec.Another");
    assertThat(log.list).hasSize(2 * LibraryWarnings.MOST);
    clock.advance(Duration.ofMinutes(1));
    warn("io.netty.handler.codec.Something");
    assertThat(log.list).hasSize(3 * LibraryWarnings.MOST);
  }

  @Test
  void nothingOfHeadgateIsLeftOut() {
    warn("io.headgate.kit.grpc.ApiServer");
    assertThat(log.list).hasSize(100);
  }

  private void warn(String logger) {
    for (int i = 0; i < 100; i++) {
      context.getLogger(logger).warn("a client did {}", Level.WARN, new IllegalStateException());
    }
  }
}
