package io.headgate.agent.runtime.ledger;

import io.headgate.agent.core.AttemptReport;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/// Updates that the scheduler has not acknowledged yet, in order and durable, with sequence numbers
/// that rise by one for as long as the agent's data lives. Thread-safe.
public interface Updates extends AutoCloseable {
  /// An update and its place in the order.
  record Entry(long sequence, AttemptReport report) {}

  /// Adds an update; when this returns it survives any crash.
  Entry append(AttemptReport report) throws IOException;

  /// Everything up to the sequence is the scheduler's now.
  void acknowledge(long sequence) throws IOException;

  /// Updates after the sequence, oldest first.
  List<Entry> after(long sequence, int limit);

  /// Completes once nothing is unacknowledged.
  CompletableFuture<Void> emptied();

  int size();

  @Override
  void close() throws IOException;
}
