package io.headgate.kit.telemetry;

import ch.qos.logback.classic.spi.ILoggingEvent;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// Names what a log record is about: the class that wrote it and the first words of the text, as
/// they stand in the code. So all records of one statement have one name, whatever their values
/// are. Example: `LOG.info("{} leads, epoch {}: {}", ...)` of `Replica` is `replica.leads_epoch`.
final class EventName {
  private static final int MOST_WORDS = 6;
  private static final Pattern WORD = Pattern.compile("[a-z]+");

  private EventName() {}

  static String of(ILoggingEvent event) {
    String logger = event.getLoggerName();
    String name = snake(logger.substring(logger.lastIndexOf('.') + 1));
    String text = event.getMessage() == null ? "" : event.getMessage();
    String words =
        WORD.matcher(text.toLowerCase(Locale.ROOT))
            .results()
            .limit(MOST_WORDS)
            .map(MatchResult::group)
            .collect(Collectors.joining("_"));
    return words.isEmpty() ? name : name + "." + words;
  }

  private static String snake(String camel) {
    return camel.replaceAll("([a-z0-9])([A-Z])", "$1_$2").toLowerCase(Locale.ROOT);
  }
}
