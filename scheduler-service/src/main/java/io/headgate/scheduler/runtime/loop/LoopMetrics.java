package io.headgate.scheduler.runtime.loop;

import io.headgate.scheduler.runtime.record.Batch;

/// Measurements of the loop. Called from several threads.
public interface LoopMetrics {
  /// A pass of the core took `nanos`.
  void decided(long nanos, int inputs);

  /// A transaction took `nanos`, committed or not; it may have been a mere renewal.
  void committed(long nanos);

  /// The batch is durable.
  void durable(Batch batch);

  /// A command waited `nanos` for the loop.
  void delayed(long nanos);

  /// The database refused a writer with an old epoch.
  void refusedStale();

  /// The leader no longer trusts its state.
  void violated(Violation kind);

  /// Faults that no leader survives.
  enum Violation {
    /// A decision, or what follows from it, failed.
    LOOP,
    /// The database lacks batches that were durable.
    DATABASE
  }

  /// A part of a take-over took `nanos`.
  void tookOver(Takeover.Part part, long nanos);

  LoopMetrics NONE =
      new LoopMetrics() {
        @Override
        public void decided(long nanos, int inputs) {}

        @Override
        public void committed(long nanos) {}

        @Override
        public void durable(Batch batch) {}

        @Override
        public void delayed(long nanos) {}

        @Override
        public void refusedStale() {}

        @Override
        public void violated(Violation kind) {}

        @Override
        public void tookOver(Takeover.Part part, long nanos) {}
      };
}
