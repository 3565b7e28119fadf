package io.headgate.scheduler.runtime.loop;

/// Receives each durable batch, in order; must not block.
@FunctionalInterface
public interface CommitListener {
  /// A batch is durable.
  ///
  /// @param version the version of the watches after the batch
  void at(long version);
}
