package io.headgate.kit.telemetry;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.instrumentation.logback.appender.v1_0.OpenTelemetryAppender;
import org.slf4j.LoggerFactory;
import org.slf4j.bridge.SLF4JBridgeHandler;

/// Configures Logback with this module's `logback.xml`: one line per event on standard error, with
/// trace, request and thread, as text or as [JSON][JsonLog]. Verbose libraries stay at WARN at any
/// level.
public final class Logging {
  private static final String APPENDER = "otlp";

  /// The appender of `logback.xml`.
  private static final String CONSOLE = "console";

  private Logging() {}

  /// Sets the level of Headgate's code; libraries go no lower than INFO. Anchors of audit logs are
  /// written at any level (`logback.xml`).
  public static void setLevel(TelemetryConfig.LogLevel level) {
    if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
      Level wanted = Level.toLevel(level.name());
      context.getLogger("io.headgate").setLevel(wanted);
      context
          .getLogger(Logger.ROOT_LOGGER_NAME)
          .setLevel(wanted.isGreaterOrEqual(Level.INFO) ? wanted : Level.INFO);
    }
    SLF4JBridgeHandler.removeHandlersForRootLogger();
    SLF4JBridgeHandler.install();
  }

  /// Sets the form of the console. Lines before the configuration is read are text.
  static void setFormat(TelemetryConfig.LogFormat format, String service) {
    if (format == TelemetryConfig.LogFormat.JSON
        && LoggerFactory.getILoggerFactory() instanceof LoggerContext context
        && context.getLogger(Logger.ROOT_LOGGER_NAME).getAppender(CONSOLE)
            instanceof ConsoleAppender<ILoggingEvent> console) {
      JsonLog lines = new JsonLog(service);
      lines.setContext(context);
      lines.start();
      console.setEncoder(lines);
    }
  }

  static void sendTo(OpenTelemetry sdk) {
    if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
      OpenTelemetryAppender appender = new NamedRecords();
      appender.setContext(context);
      appender.setName(APPENDER);
      appender.setOpenTelemetry(sdk);
      appender.start();
      context.getLogger(Logger.ROOT_LOGGER_NAME).addAppender(appender);
    }
  }

  static void stopSending() {
    if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
      context.getLogger(Logger.ROOT_LOGGER_NAME).detachAppender(APPENDER);
    }
  }
}
