package io.headgate.agent.runtime;

import io.headgate.agent.core.Leadership;

/// Notifications of the loop to the scheduler's client. Called on the loop's thread; must not wait.
public interface ControlPlane {
  /// New updates lie in the outbox.
  void updatesReady();

  /// The agent closes down: the scheduler is to hear of it before anything that follows from it.
  void closing();

  /// This leader was deposed: its session must end.
  void refuse(Leadership leadership);

  /// Discards all notifications.
  ControlPlane NONE =
      new ControlPlane() {
        @Override
        public void updatesReady() {}

        @Override
        public void closing() {}

        @Override
        public void refuse(Leadership leadership) {}
      };
}
