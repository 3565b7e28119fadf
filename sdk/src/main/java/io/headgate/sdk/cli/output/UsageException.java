package io.headgate.sdk.cli.output;

import java.util.List;

/// A wrong call of a command. No request was sent.
public final class UsageException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String reason;
  private final transient List<String> next;

  /// A mistake on the command line.
  ///
  /// @param next what to do, each line on its own
  public UsageException(String message, String reason, String... next) {
    super(message);
    this.reason = reason;
    this.next = List.of(next);
  }

  public String reason() {
    return reason;
  }

  public List<String> next() {
    return next;
  }
}
