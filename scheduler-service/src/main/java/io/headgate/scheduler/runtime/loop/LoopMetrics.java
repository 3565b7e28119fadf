package io.headgate.scheduler.runtime.loop;

import io.headgate.scheduler.runtime.record.Batch;

/// Measurements of the loop. Called from several threads.
public interface LoopMetrics {
  /// A pass of the core took `nanos`.
  void decided(long nanos, int inputs);

  /// A transaction took `nanos`, committed or not; `batch` may be a mere renewal.
  void committed(long nanos, Batch batch);

  /// A command waited `nanos` for the loop.
  void delayed(long nanos);

  /// The database refused a writer with an old epoch.
  void refusedStale();

  /// A part of a take-over took `nanos`.
  void tookOver(Takeover.Part part, long nanos);

  LoopMetrics NONE =
      new LoopMetrics() {
        @Override
        public void decided(long nanos, int inputs) {}

        @Override
        public void committed(long nanos, Batch batch) {}

        @Override
        public void delayed(long nanos) {}

        @Override
        public void refusedStale() {}

        @Override
        public void tookOver(Takeover.Part part, long nanos) {}
      };
}
