package io.headgate.kit.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.AppenderBase;
import ch.qos.logback.core.ConsoleAppender;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

class LogLineTest {
  private final List<String> ids = new ArrayList<>();

  @Test
  void namesTheTraceAndTheRequest() {
    Logger logger = (Logger) LoggerFactory.getLogger("io.headgate.kit.line");
    AppenderBase<ILoggingEvent> appender =
        new AppenderBase<>() {
          @Override
          protected void append(ILoggingEvent event) {
            ids.add(new TraceIds().convert(event));
          }
        };
    appender.start();
    logger.addAppender(appender);
    logger.setAdditive(false);
    try (var sdk =
        OpenTelemetrySdk.builder().setTracerProvider(SdkTracerProvider.builder().build()).build()) {
      logger.info("outside");
      Span span = sdk.getTracer("test").spanBuilder("span").startSpan();
      try (Scope _ = span.makeCurrent();
          var _ = MDC.putCloseable("request", "abc")) {
        logger.info("inside");
      }
      span.end();
      String trace = span.getSpanContext().getTraceId();
      assertThat(ids).containsExactly("", " trace=" + trace + " request=abc");
    } finally {
      logger.detachAppender(appender);
    }
  }

  /// A name from outside can neither add a line to the log nor control the reader's terminal.
  @Test
  void aMessageStaysOneHarmlessLine() {
    Logger logger = (Logger) LoggerFactory.getLogger("io.headgate.kit.line");
    LoggingEvent event =
        new LoggingEvent(
            LogLineTest.class.getName(),
            logger,
            Level.INFO,
            "job {} failed",
            null,
            new Object[] {"a\r\nb\tc\u001b[2J\u009bd é"});

    assertThat(new PrintableMessage().convert(event)).isEqualTo("job a  b c?[2J?d é failed");
  }

  /// The layout of every process, as its configuration has it.
  @Test
  void theStackTraceOfAHostileExceptionForgesNoLine() throws Exception {
    LoggerContext context = new LoggerContext();
    context.setMDCAdapter(new LogbackMDCAdapter());
    JoranConfigurator configurator = new JoranConfigurator();
    configurator.setContext(context);
    configurator.doConfigure(LogLineTest.class.getResource("/logback.xml"));
    ConsoleAppender<ILoggingEvent> console =
        (ConsoleAppender<ILoggingEvent>)
            context.getLogger(Logger.ROOT_LOGGER_NAME).getAppender("console");
    String forged =
        "\r\n2026-01-01T00:00:00.000Z INFO admin [x] all is well\u009b2J\u001b[1A\u2028x";
    RuntimeException thrown =
        new IllegalStateException("outer" + forged, new IllegalArgumentException("inner" + forged));
    thrown.addSuppressed(new IllegalStateException("beside" + forged));

    String text =
        new String(
            console
                .getEncoder()
                .encode(
                    new LoggingEvent(
                        LogLineTest.class.getName(),
                        context.getLogger("io.headgate.kit.line"),
                        Level.ERROR,
                        "failed",
                        thrown,
                        null)),
            StandardCharsets.UTF_8);

    context.stop();
    assertThat(text.replace("\n", "").replace("\t", "").chars())
        .noneMatch(Character::isISOControl)
        .doesNotContain((int) '\u2028');
    assertThat(text.lines())
        .noneMatch(line -> line.startsWith("2026-01-01"))
        .anyMatch(line -> line.startsWith("java.lang.IllegalStateException: outer  2026-01-01"))
        .anyMatch(
            line -> line.startsWith("Caused by: java.lang.IllegalArgumentException: inner  2"))
        .anyMatch(
            line -> line.contains("Suppressed: java.lang.IllegalStateException: beside  2026"))
        .anyMatch(line -> line.startsWith("\tat "));
  }
}
