package io.headgate.scheduler.runtime.leadership;

import io.headgate.kit.position.WatchPosition;
import io.headgate.scheduler.grpc.JobVaults;
import io.headgate.scheduler.runtime.agent.Dispatch;
import io.headgate.scheduler.runtime.catalog.CatalogSource;
import io.headgate.scheduler.runtime.catalog.CatalogUpdate;
import io.headgate.scheduler.runtime.desk.Command;
import io.headgate.scheduler.runtime.desk.LeaderState;
import io.headgate.scheduler.runtime.desk.LoopSettings;
import io.headgate.scheduler.runtime.desk.VaultDesk;
import io.headgate.scheduler.runtime.leadership.ElectionRule.Move;
import io.headgate.scheduler.runtime.loop.LeaderPorts;
import io.headgate.scheduler.runtime.loop.LeaderStart;
import io.headgate.scheduler.runtime.loop.LoopMetrics;
import io.headgate.scheduler.runtime.loop.LoopStep;
import io.headgate.scheduler.runtime.loop.Takeover;
import io.headgate.scheduler.runtime.record.Batch;
import io.headgate.scheduler.runtime.record.CatalogEntry;
import io.headgate.scheduler.runtime.record.CommitResult;
import io.headgate.scheduler.runtime.record.Failpoint;
import io.headgate.scheduler.runtime.record.Leadership;
import io.headgate.scheduler.runtime.record.LoadedState;
import io.headgate.scheduler.runtime.record.SchedulerStore;
import io.headgate.scheduler.runtime.record.SchedulerStore.Row;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// One scheduler process: the real [LeaderDoor], [Election] and [Leader], with events in the place
/// of the threads of [Replica] and [LeaderThreads]. It may crash, stand still and come back at any
/// moment.
final class SimulatedReplica {
  private static final long LOOK = World.SECOND;
  private static final long RETRY = 500 * World.MILLI;
  private static final int DECIDED = 1;
  private static final int MAX_UNSENT_TURNS = 64;

  private final World world;
  private final SimulatedDatabase database;
  private final Auditor auditor;
  private final String name;
  private final LoopSettings settings;
  private final SchedulerStore.Candidate candidate;
  private final LeaderPorts ports;
  private final Members members;
  private final SimulatedGroup group;
  private final SimulatedVaults vaults;
  private final World.Clock clock;
  private World.Life life;
  private LeaderDoor door;
  private Election election;
  private @Nullable Leading leading;
  private double crashes;

  SimulatedReplica(
      World world, SimulatedDatabase database, Auditor auditor, String name, Scenario.Parts parts) {
    this.world = world;
    this.database = database;
    this.auditor = auditor;
    this.name = name;
    this.settings = parts.settings();
    this.group = parts.group();
    this.vaults = parts.vaults();
    this.clock = world.clock();
    this.candidate =
        new SchedulerStore.Candidate(
            name, name + ":1", true, settings.lease(), settings.missedRenewal());
    this.ports =
        new LeaderPorts(
            database.store(),
            database.store(),
            List.of(
                source(CatalogSource.SUPPLY, _ -> parts.supply()),
                source(CatalogSource.ACCESS, vaults::at)),
            clock,
            LoopMetrics.NONE,
            _ -> {},
            this::at,
            JobVaults::asked);
    this.members = group.member(name);
    this.life = new World.Life(name);
    this.door = new LeaderDoor(candidate.address());
    this.election = election();
  }

  private Election election() {
    return new Election(candidate, settings.renewal(), ports, members);
  }

  private static CatalogSource source(
      String name, Function<WatchPosition, CatalogUpdate> versions) {
    return new CatalogSource() {
      @Override
      public String name() {
        return name;
      }

      @Override
      public CatalogUpdate decode(WatchPosition position, List<CatalogEntry> entries) {
        return versions.apply(position);
      }

      @Override
      public Watch watch(WatchPosition from, Consumer<CatalogUpdate> sink) {
        throw new UnsupportedOperationException();
      }
    };
  }

  String name() {
    return name;
  }

  World.Life life() {
    return life;
  }

  World.Clock clock() {
    return clock;
  }

  LeaderDoor door() {
    return door;
  }

  boolean isUp() {
    return !life.isOver();
  }

  boolean isDead(World.Life then) {
    return then.isOver();
  }

  /// How often it dies at a named moment.
  void crashAtFailpoints(double probability) {
    crashes = probability;
  }

  Optional<Leader> leader() {
    Leading current = leading;
    return current == null || life.isOver() ? Optional.empty() : Optional.of(current.leader);
  }

  void start() {
    life = new World.Life(name);
    door = new LeaderDoor(candidate.address());
    election = election();
    leading = null;
    world.note(() -> name + " starts");
    group.joined(name);
    later(world.between(0, World.SECOND), this::stand);
  }

  void crash() {
    if (isUp()) {
      world.note(() -> name + " crashes");
      world.befell(Fault.REPLICA_CRASHED);
      life.end();
      leading = null;
      group.left(name);
    }
  }

  private void at(Failpoint point) {
    if (world.chance(crashes)) {
      world.note(() -> name + " is about to die at " + point);
      world.befell(Fault.REPLICA_DIED_AT_FAILPOINT);
      throw new World.Crash(point.name());
    }
  }

  /// Runs an action as this process. A simulated crash ends the process; any other exception is a
  /// fault.
  void during(Runnable action) {
    try {
      action.run();
    } catch (World.Crash e) {
      crash();
    } catch (RuntimeException e) {
      throw new AssertionError(name + " failed: " + e, e);
    }
    Leading current = leading;
    if (current != null && isUp()) {
      current.pump();
    }
  }

  private void later(long nanos, Runnable action) {
    world.later(life, nanos, () -> during(action));
  }

  // Standing for election, as the replica's thread does.

  private void stand() {
    long sent = clock.monotonicNanos();
    database.read(
        this,
        database.store()::leadership,
        row -> {
          if (row.isEmpty()) {
            later(RETRY, this::stand);
            return;
          }
          switch (election.move(row.get())) {
            case Move.Try attempt ->
                database.write(
                    this,
                    () -> database.store().takeOver(candidate, attempt.holderLost()),
                    taken -> {
                      if (taken.isPresent() && taken.get().isPresent()) {
                        load(taken.get().get(), sent);
                      } else {
                        await(row.get(), LOOK);
                      }
                    });
            case Move.Wait(Duration atMost) -> await(row.get(), atMost.toNanos());
          }
        });
  }

  private void await(Row seen, long nanos) {
    door.saw(seen.leadership(), true);
    later(clock.real(Math.min(nanos, LOOK)), this::stand);
  }

  private void load(Row taken, long sent) {
    world.note(() -> name + " leads, epoch " + taken.leadership().epoch());
    door.holdCallers();
    door.saw(taken.leadership(), true);
    at(Failpoint.AFTER_ELECTION);
    Lease lease = new Lease(clock, settings.lease(), sent);
    LoadingLease loading = new LoadingLease(taken, lease, settings, ports);
    Loading state = new Loading(taken, lease, loading);
    state.renew();
    later(
        world.chance(0.1)
            ? world.between(World.SECOND, 15 * World.SECOND)
            : world.between(World.MILLI, 300 * World.MILLI),
        () -> database.read(this, database.store()::load, state::loaded));
  }

  /// From taking the row until everything is read: what [LoadingLease] does with a thread.
  private final class Loading {
    private final Row taken;
    private final Lease lease;
    private final LoadingLease loading;
    private @Nullable Optional<LoadedState> loaded;
    private boolean isRenewing;

    Loading(Row taken, Lease lease, LoadingLease loading) {
      this.taken = taken;
      this.lease = lease;
      this.loading = loading;
    }

    void renew() {
      later(
          clock.real(settings.renewal().toNanos()),
          () -> {
            if (loaded == null) {
              isRenewing = true;
              long sent = clock.monotonicNanos();
              commit(
                  taken.leadership(),
                  loading.renewal(),
                  result -> {
                    isRenewing = false;
                    boolean goesOn = loading.answered(result, sent);
                    if (loaded != null) {
                      lead();
                    } else if (goesOn) {
                      renew();
                    }
                  });
            }
          });
    }

    void loaded(Optional<LoadedState> read) {
      at(Failpoint.MID_LOAD);
      loaded = read;
      // The thread that renews is waited for.
      if (!isRenewing) {
        lead();
      }
    }

    private void lead() {
      Optional<LoadedState> read = loaded;
      if (read == null || read.isEmpty() || loading.successor().isPresent()) {
        lease.end();
        loading.successor().ifPresent(now -> door.saw(now, true));
        door.close();
        later(RETRY, SimulatedReplica.this::stand);
        return;
      }
      leading = new Leading(taken, read.get(), lease);
    }
  }

  private void commit(Leadership leader, Batch batch, Consumer<CommitResult> answer) {
    database.commit(
        this,
        fencedAt -> database.store().commit(leader, settings.lease(), batch, fencedAt),
        settings.lease(),
        batch,
        answer);
  }

  /// One leadership: what [LeaderThreads] does with threads.
  private final class Leading {
    private final Leader leader;
    private final Lease lease;
    private final Deque<LoopStep> decided = new ArrayDeque<>();
    private final Deque<List<Dispatch>> unsent = new ArrayDeque<>();
    private long loopAt = Long.MAX_VALUE;
    private boolean isTaking;
    private long taking;
    private boolean isSending;
    private boolean isEnding;
    private boolean givesWay;

    /// Version of the vaults.
    private long followed;

    Leading(Row taken, LoadedState loaded, Lease lease) {
      this.lease = lease;
      this.leader =
          new Leader(
              LeaderStart.of(
                  taken.leadership(), settings, loaded, new Takeover(ports, taken.silence())),
              ports,
              LeaderState.load(taken.leadership(), settings, loaded, ports.sources(), clock),
              lease,
              decided::add);
      door.open(leader);
      auditor.leads(SimulatedReplica.this, taken.leadership());
      this.followed = database.store().position(CatalogSource.ACCESS).version();
      vaults.onMove(life, this::follow);
      follow();
      act(leader.commits().begin());
      pump();
    }

    /// As the watch does, which may be slow.
    private void follow() {
      if (vaults.version() > followed) {
        soon(
            world.between(0, world.chance(0.1) ? 5 * World.SECOND : 50 * World.MILLI),
            () -> {
              if (vaults.version() > followed) {
                followed = vaults.version();
                leader.offer(new Command.CatalogMoved(CatalogSource.ACCESS, vaults.latest()));
              }
            });
      }
    }

    private void soon(long nanos, Runnable action) {
      later(
          nanos,
          () -> {
            if (leading == this) {
              action.run();
            }
          });
    }

    /// Something may be to do for the loop, the committer or the sender.
    void pump() {
      if (leading != this) {
        return;
      }
      if (isTaking && !decided.isEmpty()) {
        isTaking = false;
        taking++;
        soon(world.between(0, World.MILLI / 2), this::take);
      }
      if (decided.size() <= DECIDED && !isEnding) {
        long wait =
            leader.queued() > 0
                ? world.between(0, World.MILLI)
                : clock.real(Math.max(0, leader.turns().nextDeadline() - clock.monotonicNanos()));
        long at = world.now() + wait;
        if (at < loopAt) {
          loopAt = at;
          soon(wait, () -> loop(at));
        }
      }
      if (!isSending && !unsent.isEmpty()) {
        isSending = true;
        soon(world.between(0, World.MILLI), this::sendDispatches);
      }
    }

    private void loop(long at) {
      if (at != loopAt) {
        return;
      }
      loopAt = Long.MAX_VALUE;
      if (decided.size() > DECIDED || isEnding) {
        return;
      }
      try {
        List<Command> commands = leader.take();
        if (commands.isEmpty() && leader.isClosing()) {
          leader.turns().takeLast();
          end(new LeaderEnd.Closed());
        } else {
          leader.decide(commands);
          if (leader.turns().isCutOff() && election.hasOthers()) {
            world.note(() -> name + " hears no agent any more, and gives way");
            givesWay = true;
            leader.close();
          }
        }
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }

    private void take() {
      act(leader.commits().took(Optional.ofNullable(decided.poll())));
    }

    private void act(Commits.Move move) {
      switch (move) {
        case Commits.Move.Take(Duration atMost) -> {
          isTaking = true;
          long number = taking;
          soon(
              clock.real(atMost.toNanos()),
              () -> {
                if (isTaking && number == taking) {
                  isTaking = false;
                  taking++;
                  take();
                }
              });
        }
        case Commits.Move.Commit(Batch batch) -> {
          long sent = clock.monotonicNanos();
          commit(
              leader.leadership(),
              batch,
              result -> {
                if (leading == this) {
                  act(leader.commits().committed(result, sent));
                }
              });
        }
        case Commits.Move.Resolve(Batch batch) ->
            database.write(
                SimulatedReplica.this,
                () -> database.store().resolve(leader.leadership(), settings.lease(), batch.id()),
                result -> {
                  if (leading == this) {
                    act(
                        leader
                            .commits()
                            .resolved(
                                result.orElseGet(() ->
                                    new SchedulerStore.Resolution.Unreachable(
                                        new IllegalStateException("no answer")))));
                  }
                });
        case Commits.Move.Pause(Duration atMost) ->
            soon(clock.real(atMost.toNanos()), () -> act(leader.commits().paused()));
        case Commits.Move.Act(LoopStep step) -> {
          if (unsent.size() >= MAX_UNSENT_TURNS) {
            soon(10 * World.MILLI, () -> act(new Commits.Move.Act(step)));
            return;
          }
          if (!step.dispatches().isEmpty()) {
            unsent.add(step.dispatches());
          }
          step.unjudged().ifPresent(this::judge);
          leader.publish(step);
          act(leader.commits().acted());
        }
        case Commits.Move.End(Optional<LeaderEnd> why) -> why.ifPresent(this::end);
      }
    }

    private void judge(VaultDesk.Page page) {
      database.read(
          SimulatedReplica.this,
          () -> leader.judge(page),
          forbidden -> {
            if (leading == this && forbidden.isPresent()) {
              leader.offer(new Command.Judged(page, forbidden.get()));
            } else {
              soon(settings.renewal().toNanos(), () -> judge(page));
            }
          });
    }

    private void sendDispatches() {
      if (lease.isFresh()) {
        // It may stand still between the check of the lease and the messages.
        soon(
            world.chance(0.02) ? world.between(0, World.SECOND) : 0,
            () -> {
              List<Dispatch> dispatches = unsent.poll();
              isSending = false;
              if (dispatches != null) {
                leader.dispatcher().carryOut(dispatches);
              }
            });
      } else {
        soon(settings.renewal().toNanos() / 4, this::sendDispatches);
      }
    }

    /// As the replica's thread, which wakes up a little later.
    private void end(LeaderEnd why) {
      if (isEnding) {
        return;
      }
      isEnding = true;
      soon(world.between(0, 5 * World.MILLI), () -> finish(why));
    }

    private void finish(LeaderEnd why) {
      world.note(() -> name + " leads no more: " + why);
      if (why instanceof LeaderEnd.Deposed(Leadership now)) {
        world.befell(Fault.LEADER_DEPOSED);
        door.saw(now, true);
      }
      lease.end();
      leader.close();
      leading = null;
      leader.commits().inHand().ifPresent(LoopStep::fail);
      decided.forEach(LoopStep::fail);
      try {
        leader.finish(why);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      door.close();
      if (givesWay) {
        election.standBack("heard no agent any more");
      }
      if (why instanceof LeaderEnd.Closed) {
        database.write(
            SimulatedReplica.this,
            () -> {
              database.store().release(leader.leadership());
              return true;
            },
            _ -> {});
      }
      later(RETRY, SimulatedReplica.this::stand);
    }
  }

  /// Gives leadership back in order.
  void handOver() {
    leader()
        .ifPresent(leader -> {
          world.befell(Fault.LEADER_HANDED_OVER);
          during(leader::close);
        });
  }
}
