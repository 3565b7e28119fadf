package io.headgate.agent.runtime.host;

import io.headgate.agent.container.Containers;
import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.runtime.watch.PeriodicTask;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/// The containers of this machine, whose engine may come and go while the agent runs. Without an
/// engine, the agent looks for one now and then, and when a job needs it. An engine that failed a
/// job is asked whether it still works. The first engine found stays the chosen one, because it
/// keeps the containers made with it. Thread-safe.
public final class ContainerSupply implements AutoCloseable {
  /// The time between two searches for an engine. Without an engine's program they cost nothing;
  /// with a daemon that is away, a process.
  static final Duration INTERVAL = Duration.ofMinutes(1);

  private static final Logger LOG = LoggerFactory.getLogger(ContainerSupply.class);

  private final Engine engine;
  private final ReentrantLock looking = new ReentrantLock();
  private final PeriodicTask looks = new PeriodicTask();
  private volatile State state = new State(Optional.empty(), Optional.of("not looked for yet"));

  /// Live attempts of an earlier agent; null: not known yet. Guarded by looking.
  private @Nullable Set<AttemptKey> inherited;

  /// Finds an engine.
  interface Engine {
    /// Opens the engine.
    ///
    /// @throws IOException why there is none
    Containers open() throws IOException, InterruptedException;
  }

  /// @param known of the first engine that was found
  /// @param problem why it cannot be used; absent: it can
  private record State(Optional<Containers> known, Optional<String> problem) {
    State(Containers working) {
      this(Optional.of(working), Optional.empty());
    }
  }

  ContainerSupply(Engine engine) {
    this.engine = engine;
  }

  /// The supply of a machine that never runs jobs with an image.
  static ContainerSupply none(String problem) {
    return new ContainerSupply(() -> {
      throw new IOException(problem);
    });
  }

  /// Looks for missing engines at this interval, until it is closed.
  ContainerSupply lookingEvery(Duration interval) {
    looks.start(
        "containers",
        interval,
        () -> {
          if (!areThere()) {
            var _ = look();
          }
        });
    return this;
  }

  /// Called once, before anything is made: removes the leftovers of all other attempts, or will do
  /// so as soon as there is an engine.
  void recover(Collection<AttemptKey> live) throws IOException {
    looking.lock();
    try {
      inherited = new HashSet<>(live);
      if (state.known().isPresent()) {
        state.known().get().recover(live);
      }
    } finally {
      looking.unlock();
    }
  }

  /// Removes the container files of an attempt without live processes.
  void remove(AttemptKey attempt) throws IOException {
    if (known().isEmpty()) {
      forget(attempt);
    }
    Optional<Containers> found = known();
    if (found.isPresent()) {
      found.get().remove(attempt);
    }
  }

  private void forget(AttemptKey attempt) {
    looking.lock();
    try {
      if (inherited != null) {
        inherited.remove(attempt);
      }
    } finally {
      looking.unlock();
    }
  }

  /// Whether they were there when last looked for.
  boolean areThere() {
    return state.problem().isEmpty();
  }

  /// The containers found before, even if their engine is away now.
  Optional<Containers> known() {
    return state.known();
  }

  /// For a job: looked for once more if need be.
  ///
  /// @throws IOException why there are none
  Containers demand() throws IOException {
    if (!areThere()) {
      var _ = look();
    }
    State now = state;
    if (now.problem().isPresent()) {
      throw new IOException("this node runs no jobs with an image: " + now.problem().get());
    }
    return now.known().orElseThrow();
  }

  /// Looks for them, or whether they are still there.
  ///
  /// @return why there are none
  Optional<String> look() {
    looking.lock();
    try {
      State before = state;
      state = now(before.known());
      if (!state.problem().equals(before.problem())) {
        tell(state);
      }
      return state.problem();
    } finally {
      looking.unlock();
    }
  }

  private static void tell(State state) {
    if (state.problem().isPresent()) {
      LOG.atLevel(state.known().isPresent() ? Level.WARN : Level.INFO)
          .log("this node runs no jobs with an image: {}", state.problem().get());
    } else {
      LOG.info(
          "jobs with an image get its files from {}", state.known().orElseThrow().description());
    }
  }

  private State now(Optional<Containers> known) {
    try {
      if (known.isEmpty()) {
        Containers found = engine.open();
        if (inherited != null) {
          // No job has used this engine yet, so copies that were not inherited have no owner.
          found.recover(inherited);
        }
        return new State(found);
      }
      known.get().demandEngine();
      return new State(known.get());
    } catch (IOException e) {
      return new State(known, Optional.of(String.valueOf(e.getMessage())));
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return new State(known, Optional.of("interrupted while an engine was looked for"));
    }
  }

  @Override
  public void close() {
    looks.close();
  }
}
