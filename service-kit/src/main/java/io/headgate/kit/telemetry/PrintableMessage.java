package io.headgate.kit.telemetry;

import ch.qos.logback.classic.pattern.ClassicConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;

/// `%line` in the log layout: the message in one line, without characters that control a terminal.
/// A name or an answer from outside can therefore neither forge a line of the log nor move a
/// reader's cursor. Line ends and tabs become spaces, other controls become `?`.
public final class PrintableMessage extends ClassicConverter {

  @Override
  public String convert(ILoggingEvent event) {
    return inOneLine(String.valueOf(event.getFormattedMessage()));
  }

  static String inOneLine(String text) {
    if (text.chars().noneMatch(PrintableMessage::isUnfit)) {
      return text;
    }
    StringBuilder line = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i++) {
      char each = text.charAt(i);
      boolean blank = each == '\n' || each == '\t' || each == '\r';
      line.append(blank ? ' ' : isUnfit(each) ? '?' : each);
    }
    return line.toString();
  }

  /// Controls, and the separators that some readers take for the end of a line.
  private static boolean isUnfit(int each) {
    return Character.isISOControl(each) || each == '\u2028' || each == '\u2029';
  }
}
