package io.headgate.deploy.e2e;

import io.headgate.kit.testing.Wire;
import io.headgate.kit.testing.Wire.Way;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Wires that a test can stall or slow down. Each scheduler has one to its database, one from its
/// callers, and one from the other schedulers of its group. Each scheduler has a loopback address
/// of its own for its group, by which the wires of the others know it.
final class Wires implements AutoCloseable {
  /// In both directions.
  static final Set<Way> BOTH = Collections.unmodifiableSet(EnumSet.allOf(Way.class));

  private static final String DATABASE = "HEADGATE_SCHEDULER_DATABASE_URL";
  private static final String ADVERTISED = "HEADGATE_SCHEDULER_ADVERTISED_ADDRESS";
  private static final String GROUP_ADVERTISED = "HEADGATE_SCHEDULER_GROUP_ADVERTISED_ADDRESS";
  private static final String MEMBERS = "HEADGATE_SCHEDULER_GROUP_MEMBERS";

  // All guarded by this; all by name of the scheduler.
  private final Map<String, Wire> databases = new LinkedHashMap<>();
  private final Map<String, Wire> callers = new LinkedHashMap<>();
  private final Map<String, Wire> groups = new LinkedHashMap<>();

  /// Changes a scheduler's settings so that it uses the wires.
  synchronized Map<String, String> through(Map<String, String> told) {
    String name = told.get("HEADGATE_SCHEDULER_REPLICA");
    Map<String, String> changed = new LinkedHashMap<>(told);
    try {
      URI database = URI.create(told.get(DATABASE).substring("jdbc:".length()));
      Wire toDatabase = databases.get(name);
      if (toDatabase == null) {
        toDatabase = Wire.to(database.getPort());
        databases.put(name, toDatabase);
        callers.put(name, Wire.to(port(told.get(ADVERTISED))));
      }
      changed.put(
          DATABASE, told.get(DATABASE).replace(database.getAuthority(), toDatabase.address()));
      changed.put(ADVERTISED, callers.get(name).address());
      String[] members = told.get(MEMBERS).split(",");
      for (int i = groups.size(); i < members.length; i++) {
        groups.put("scheduler-" + (i + 1), Wire.at(groupHost(i + 1), port(members[i])));
      }
      // It calls the others from the address that it advertises, and not from one that all have.
      changed.put("JAVA_TOOL_OPTIONS", "-Dhazelcast.socket.client.bind.any=false");
      changed.put(GROUP_ADVERTISED, groups.get(name).address());
      changed.put(MEMBERS, String.join(",", groups.values().stream().map(Wire::address).toList()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return changed;
  }

  private static InetAddress groupHost(String scheduler) throws UnknownHostException {
    return groupHost(Integer.parseInt(scheduler.substring("scheduler-".length())));
  }

  private static InetAddress groupHost(int number) throws UnknownHostException {
    return InetAddress.getByAddress(new byte[] {127, 0, 0, (byte) (1 + number)});
  }

  private static int port(String address) {
    return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
  }

  /// Where callers reach the schedulers.
  synchronized List<URI> addresses() {
    return callers.values().stream().map(wire -> URI.create("http://" + wire.address())).toList();
  }

  /// Nothing passes between it and PostgreSQL.
  ///
  /// @param ways what is lost: what it says, or what PostgreSQL answers
  synchronized void cutOffDatabase(String scheduler, Set<Way> ways) {
    databases.get(scheduler).stall(ways);
  }

  /// No agent, no caller and no other scheduler that forwards a call reaches the scheduler. It
  /// reaches PostgreSQL and its group.
  ///
  /// @param ways lost directions: calls to it, or its answers
  synchronized void cutOffCallers(String scheduler, Set<Way> ways) {
    callers.get(scheduler).stall(ways);
  }

  /// Cuts all connections between the schedulers.
  synchronized void cutGroup(Set<Way> ways) {
    groups.values().forEach(wire -> wire.stall(ways));
  }

  /// Cuts the two schedulers off from each other in the group, whichever opened a connection.
  synchronized void separate(String one, String other) throws UnknownHostException {
    groups.get(one).separate(groupHost(other));
    groups.get(other).separate(groupHost(one));
  }

  /// Delays all data between schedulers, and between schedulers and callers.
  ///
  /// @param most longest delay; each piece of data has another one
  synchronized void slow(Duration most) {
    for (Map<String, Wire> each : List.of(callers, groups)) {
      each.values().forEach(wire -> wire.slow(most));
    }
  }

  /// Every connection of a caller ends; what was on its way is lost.
  synchronized void hangUp() throws IOException {
    for (Wire wire : callers.values()) {
      wire.hangUp();
    }
  }

  /// Everything passes again.
  synchronized void mend() {
    for (Map<String, Wire> each : List.of(databases, callers, groups)) {
      each.values().forEach(Wire::resume);
    }
  }

  @Override
  public synchronized void close() throws IOException {
    List<Wire> all = new ArrayList<>();
    for (Map<String, Wire> each : List.of(databases, callers, groups)) {
      all.addAll(each.values());
    }
    for (Wire wire : all) {
      wire.close();
    }
  }
}
