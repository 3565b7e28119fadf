package io.headgate.sdk.cli.error;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// Ends a command with errors to show and an exit code.
public final class CliFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient List<ErrorFrame> frames;
  private final int exitCode;
  private final @Nullable String trailer;

  /// A failure with several errors.
  ///
  /// @param trailer last line, after the errors; null: none
  public CliFailure(List<ErrorFrame> frames, int exitCode, @Nullable String trailer) {
    super(frames.isEmpty() ? "" : frames.getFirst().message());
    this.frames = List.copyOf(frames);
    this.exitCode = exitCode;
    this.trailer = trailer;
  }

  public List<ErrorFrame> frames() {
    return frames;
  }

  public int exitCode() {
    return exitCode;
  }

  public @Nullable String trailer() {
    return trailer;
  }
}
