package io.headgate.kit.client;

import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/// Bounds the pause between two attempts of a channel to connect. The pause of gRPC grows to two
/// minutes, and until its end every call fails, also when the server is long back. Thread-safe.
final class Reconnection {
  /// Longest pause. Each one is between half of it and all of it, so that the clients of a server
  /// do not return all at once.
  static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

  private static final Executor THREADS =
      task -> Thread.ofVirtual().name("reconnection").start(task);

  private final ManagedChannel channel;

  private Reconnection(ManagedChannel channel) {
    this.channel = channel;
  }

  /// Follows the channel until it is shut down.
  ///
  /// @return the channel
  static ManagedChannel of(ManagedChannel channel) {
    new Reconnection(channel).follow();
    return channel;
  }

  private void follow() {
    ConnectivityState state = channel.getState(false);
    switch (state) {
      case SHUTDOWN -> {
        // Nothing comes after it.
      }
      // The state lasts through further attempts, so their failures are not told.
      case TRANSIENT_FAILURE ->
          CompletableFuture.delayedExecutor(pauseMillis(), TimeUnit.MILLISECONDS, THREADS)
              .execute(this::connect);
      case IDLE, CONNECTING, READY -> channel.notifyWhenStateChanged(state, this::follow);
    }
  }

  private void connect() {
    channel.resetConnectBackoff();
    follow();
  }

  private static long pauseMillis() {
    long most = LONGEST_PAUSE.toMillis();
    return ThreadLocalRandom.current().nextLong(most / 2, most + 1);
  }
}
