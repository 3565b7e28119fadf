package io.headgate.kit.telemetry;

import ch.qos.logback.classic.pattern.ClassicConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;

/// `%line` in the log layout: the message in one line, without characters that control a terminal.
/// A name or an answer from outside can therefore neither forge a line of the log nor move a
/// reader's cursor. Line ends and tabs become spaces, other controls become `?`.
public final class PrintableMessage extends ClassicConverter {

  @Override
  public String convert(ILoggingEvent event) {
    String message = String.valueOf(event.getFormattedMessage());
    if (message.chars().noneMatch(Character::isISOControl)) {
      return message;
    }
    StringBuilder line = new StringBuilder(message.length());
    for (int i = 0; i < message.length(); i++) {
      char each = message.charAt(i);
      boolean blank = each == '\n' || each == '\t' || each == '\r';
      line.append(blank ? ' ' : Character.isISOControl(each) ? '?' : each);
    }
    return line.toString();
  }
}
