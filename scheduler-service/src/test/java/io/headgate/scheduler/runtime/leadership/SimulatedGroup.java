package io.headgate.scheduler.runtime.leadership;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// A failure detector that may be wrong: it hears of a death late, and loses members that live.
final class SimulatedGroup {
  private final World world;
  private final List<String> present = new ArrayList<>();
  private final Map<String, Long> goneSince = new LinkedHashMap<>();
  private final World.Life life = new World.Life("group");

  SimulatedGroup(World world) {
    this.world = world;
  }

  void joined(String name) {
    world.later(
        life,
        world.between(0, 2 * World.SECOND),
        () -> {
          present.remove(name);
          present.add(name);
          goneSince.remove(name);
        });
  }

  void left(String name) {
    world.later(
        life,
        world.between(0, 5 * World.SECOND),
        () -> {
          if (present.remove(name)) {
            goneSince.put(name, world.now());
          }
        });
  }

  Members member(String ignored) {
    return new Members() {
      @Override
      public void start() {
        // It watches already.
      }

      @Override
      public Group group() {
        Map<String, Duration> goneFor = new LinkedHashMap<>();
        goneSince.forEach(
            (name, since) -> goneFor.put(name, Duration.ofNanos(world.now() - since)));
        return new Group(present, goneFor);
      }

      @Override
      public void awaitChange(Duration atMost) {
        throw new UnsupportedOperationException();
      }

      @Override
      public void close() {
        // Nothing is held.
      }
    };
  }
}
