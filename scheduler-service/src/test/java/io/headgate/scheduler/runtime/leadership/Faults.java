package io.headgate.scheduler.runtime.leadership;

import java.util.List;

/// Injects faults at random times until [#end].
final class Faults {
  private final World world;
  private final Network network;
  private final SimulatedDatabase database;
  private final List<SimulatedReplica> replicas;
  private final List<SimulatedAgent> agents;
  private final long end;
  private final World.Life life = new World.Life("faults");
  private int gone;

  Faults(
      World world,
      Network network,
      SimulatedDatabase database,
      List<SimulatedReplica> replicas,
      List<SimulatedAgent> agents,
      long end) {
    this.world = world;
    this.network = network;
    this.database = database;
    this.replicas = replicas;
    this.agents = agents;
    this.end = end;
  }

  void begin(boolean isCalm) {
    next(
        isCalm
            ? world.between(30 * World.SECOND, 100 * World.SECOND)
            : world.between(3 * World.SECOND, 40 * World.SECOND));
    if (!isCalm && world.chance(0.4)) {
      double often = world.chance(0.3) ? 0.05 : 0.005;
      replicas.forEach(replica -> replica.crashAtFailpoints(often));
    }
    if (world.chance(0.5)) {
      double often = world.chance(0.3) ? 0.05 : 0.01;
      agents.forEach(agent -> agent.machine().crashAtRecords(often));
    }
    if (world.chance(0.5)) {
      double often = world.chance(0.3) ? 0.2 : 0.02;
      agents.forEach(agent -> agent.sayTwice(often));
    }
    if (world.chance(0.5)) {
      database.loseAnswers(world.chance(0.2) ? 0.2 : 0.02);
    }
    watch();
  }

  /// Starts crashed replicas again, as an init system does.
  private void watch() {
    world.later(
        life,
        world.between(World.SECOND, 15 * World.SECOND),
        () -> {
          replicas.stream().filter(replica -> !replica.isUp()).forEach(SimulatedReplica::start);
          watch();
        });
  }

  /// No more of it: everything that can run runs, and reaches everything.
  void end() {
    replicas.forEach(replica -> replica.crashAtFailpoints(0));
    agents.forEach(agent -> {
      agent.machine().crashAtRecords(0);
      agent.sayTwice(0);
    });
    database.loseAnswers(0);
  }

  private void next(long pace) {
    world.later(
        life,
        world.between(0, 2 * pace),
        () -> {
          if (world.now() < end) {
            happen();
            next(pace);
          }
        });
  }

  /// Mostly short, sometimes longer than any patience; over when the faults are.
  private long until() {
    long most = world.chance(0.3) ? 150 * World.SECOND : 15 * World.SECOND;
    return Math.min(world.now() + world.between(World.MILLI, most), end);
  }

  private void happen() {
    switch (world.random().nextInt(16)) {
      case 0, 1 -> world.any(replicas).crash();
      case 2, 3 -> standStill(world.any(replicas));
      case 4 -> world.any(replicas).handOver();
      case 5, 6 -> world.any(agents).crashAndStart();
      case 7 -> world.any(agents).standStill(until());
      case 8 -> reboot(world.any(agents));
      case 9 -> partition();
      case 10 -> cutOff();
      case 11 -> {
        world.note(() -> "the network is slow");
        world.befell(Fault.NETWORK_SLOW);
        network.slowDown(until());
      }
      case 12 -> {
        world.note(() -> "the database is slow");
        world.befell(Fault.DATABASE_SLOW);
        database.slowDown(until());
      }
      case 13 -> setClock();
      case 14 -> breakStream(world.any(agents));
      case 15 -> world.any(agents).machine().killSupervisor();
      default -> throw new IllegalStateException();
    }
  }

  private void standStill(SimulatedReplica replica) {
    world.note(() -> replica.name() + " stands still");
    world.befell(replica.leader().isPresent() ? Fault.LEADER_STOOD_STILL : Fault.OTHER_STOOD_STILL);
    replica.life().standStillUntil(until());
  }

  private void reboot(SimulatedAgent agent) {
    boolean forGood = gone == 0 && agents.size() > 3 && agent.machine().isOn() && world.chance(0.3);
    agent.crash();
    if (agent.machine().isOn() && world.chance(0.8)) {
      agent.machine().powerOff();
      if (!forGood) {
        world.later(
            life,
            world.between(World.SECOND, 60 * World.SECOND),
            () -> {
              agent.machine().powerOn();
              agent.startIfDown();
            });
      }
    } else if (!forGood) {
      world.later(life, world.between(0, 120 * World.SECOND), agent::startIfDown);
    }
    if (forGood) {
      gone++;
      agent.leave();
      world.befell(Fault.MACHINE_GONE);
      world.note(() -> agent.machine().name() + " is gone for good");
    }
  }

  private void partition() {
    SimulatedReplica replica = world.any(replicas);
    long until = until();
    if (world.chance(0.4)) {
      world.note(() -> replica.name() + " loses the database");
      world.befell(Fault.DATABASE_CUT_OFF);
      network.block(replica.name(), SimulatedDatabase.PLACE, until);
    } else {
      SimulatedAgent agent = world.any(agents);
      world.note(() -> replica.name() + " and " + agent.node().name() + " lose each other");
      world.befell(Fault.AGENT_CUT_OFF_FROM_ONE);
      network.block(replica.name(), agent.node().name(), until);
    }
  }

  private void cutOff() {
    SimulatedAgent agent = world.any(agents);
    // Often for longer than the machine's jobs may run on.
    long until =
        world.chance(0.5)
            ? Math.min(world.now() + world.between(30 * World.SECOND, 200 * World.SECOND), end)
            : until();
    world.note(() -> agent.node().name() + " loses every scheduler");
    world.befell(Fault.AGENT_CUT_OFF_FROM_ALL);
    replicas.forEach(replica -> network.block(replica.name(), agent.node().name(), until));
  }

  private void setClock() {
    long by =
        world.chance(0.5)
            ? world.between(-20 * World.SECOND, 20 * World.SECOND)
            : world.between(-300_000 * World.SECOND, 300_000 * World.SECOND);
    switch (world.random().nextInt(3)) {
      case 0 -> {
        world.note(() -> "the database's clock is set back by " + by / World.SECOND + " s");
        world.befell(Fault.DATABASE_CLOCK_SET);
        // A clock that jumps back prolongs the lease, and no replica could take over for as long.
        database.clock().setBack(Math.min(by, 20 * World.SECOND));
      }
      case 1 -> {
        world.befell(Fault.REPLICA_CLOCK_SET);
        world.any(replicas).clock().setBack(by);
      }
      default -> {
        world.befell(Fault.AGENT_CLOCK_SET);
        world.any(agents).machine().clock().setBack(by);
      }
    }
  }

  private void breakStream(SimulatedAgent agent) {
    agent
        .running()
        .flatMap(SimulatedAgent.Running::stream)
        .ifPresent(stream -> {
          world.note(() -> "the stream of " + agent.node().name() + " breaks");
          world.befell(Fault.STREAM_BROKEN);
          stream.cut(world.chance(0.7), world.chance(0.7));
        });
  }
}
