package io.headgate.scheduler.runtime.loop;

/// Told of each batch that is durable, in order; must not block.
@FunctionalInterface
public interface CommitListener {
  /// A batch is durable.
  ///
  /// @param version of the watches after it
  void at(long version);
}
