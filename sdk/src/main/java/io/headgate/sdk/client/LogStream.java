package io.headgate.sdk.client;

import io.headgate.sdk.model.LogPiece;
import io.headgate.sdk.wire.LogReader;
import org.jspecify.annotations.Nullable;

/// Output of one attempt, each byte once. One thread reads; any thread may close.
public final class LogStream implements AutoCloseable {
  private final LogReader reader;

  LogStream(LogReader reader) {
    this.reader = reader;
  }

  /// The next piece; null at the end.
  public @Nullable LogPiece next() {
    return reader.next();
  }

  @Override
  public void close() {
    reader.close();
  }
}
