package io.headgate.scheduler;

import io.grpc.ManagedChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// All agents of a run. Like a real agent, each has a connection of its own and sends a heartbeat
/// every two seconds. It tries again 0.1 s after its stream ended, then ever more seldom up to once
/// a second.
final class LoadFleet implements AutoCloseable {
  private static final Duration HEARTBEAT = Duration.ofSeconds(2);
  private static final Duration TICK = Duration.ofMillis(100);
  private static final int TICKS = (int) HEARTBEAT.dividedBy(TICK);
  private static final int LONGEST_WAIT = (int) Duration.ofSeconds(1).dividedBy(TICK);

  private final List<Member> members = new ArrayList<>();
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("load-agents").factory());
  private int tick;

  /// An agent and its connection, which is made anew whenever it connects.
  private static final class Member {
    private final Supplier<ManagedChannel> channels;
    private final LoadAgent agent;
    private @Nullable ManagedChannel channel;
    private int wait = 1;
    private int waited;

    Member(String node, Supplier<ManagedChannel> channels, LoadAgent.Listener listener) {
      this.channels = channels;
      this.agent = new LoadAgent(node, this::open, listener);
    }

    private synchronized ManagedChannel open() {
      cut();
      ManagedChannel fresh = channels.get();
      channel = fresh;
      return fresh;
    }

    void tick() {
      if (agent.isWelcomed()) {
        wait = 1;
      } else if (!agent.isConnected() && ++waited >= wait) {
        waited = 0;
        wait = Math.min(2 * wait, LONGEST_WAIT);
        agent.connect();
      }
    }

    synchronized void cut() {
      if (channel != null) {
        channel.shutdownNow();
      }
    }
  }

  /// @param channels opens a node's connection to the first leader
  void join(String node, Supplier<ManagedChannel> channels, LoadAgent.Listener listener) {
    members.add(new Member(node, channels, listener));
  }

  /// Connects all, and waits until each is welcomed.
  void connect() {
    members.forEach(member -> member.agent.connect());
    var _ =
        timer.scheduleAtFixedRate(
            this::tick, TICK.toMillis(), TICK.toMillis(), TimeUnit.MILLISECONDS);
    awaitWelcomes(0);
  }

  private void tick() {
    tick++;
    for (int i = 0; i < members.size(); i++) {
      members.get(i).tick();
      if ((i + tick) % TICKS == 0) {
        members.get(i).agent.heartbeat();
      }
    }
  }

  /// How often each was welcomed, at least.
  int welcomes() {
    return members.stream().mapToInt(member -> member.agent.welcomes()).min().orElse(0);
  }

  /// Waits until each was welcomed more often than that.
  void awaitWelcomes(int before) {
    LoadRig.await("all agents", () -> welcomes() > before);
  }

  /// Cuts all connections at once.
  void cut() {
    members.forEach(Member::cut);
  }

  /// Jobs that run, as the agents know it.
  int running() {
    return members.stream().mapToInt(member -> member.agent.running().size()).sum();
  }

  /// Attempts that are not over yet, as far as agents have heard.
  int live() {
    return members.stream().mapToInt(member -> member.agent.live()).sum();
  }

  @Override
  public void close() {
    timer.shutdownNow();
    members.forEach(Member::cut);
  }
}
