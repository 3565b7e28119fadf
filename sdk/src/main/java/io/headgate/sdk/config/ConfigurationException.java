package io.headgate.sdk.config;

import java.util.List;

/// An invalid file. Carries its mistakes, at most [#MAX_SHOWN] of them.
public final class ConfigurationException extends Exception {
  private static final long serialVersionUID = 1L;

  /// More mistakes would scroll the first ones off the screen.
  public static final int MAX_SHOWN = 20;

  private final transient SourceText source;
  private final transient List<Problem> problems;
  private final int total;

  public ConfigurationException(SourceText source, List<Problem> all) {
    super(source.fileName() + ": " + all.getFirst().message());
    this.source = source;
    this.problems = List.copyOf(all.subList(0, Math.min(MAX_SHOWN, all.size())));
    this.total = all.size();
  }

  public SourceText source() {
    return source;
  }

  /// In file order.
  public List<Problem> problems() {
    return problems;
  }

  /// The number of mistakes, shown or not.
  public int total() {
    return total;
  }
}
