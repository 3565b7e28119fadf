package io.headgate.scheduler.runtime.record;

/// A report has more rows than an answer may have.
public final class TooManyRowsException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /// @param most rows of a report
  public TooManyRowsException(int most) {
    super("the report has more than " + most + " rows");
  }
}
