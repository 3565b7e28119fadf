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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Wires that a test can stall or slow down. Each scheduler has one to its database, one from its
/// callers, and one from the other schedulers of its group. Each scheduler has a loopback address
/// of its own for its group, by which the wires of the others know it.
final class Wires implements Network {
  private static final String DATABASE = "HEADGATE_SCHEDULER_DATABASE_URL";
  private static final String ADVERTISED = "HEADGATE_SCHEDULER_ADVERTISED_ADDRESS";
  private static final String GROUP_ADVERTISED = "HEADGATE_SCHEDULER_GROUP_ADVERTISED_ADDRESS";
  private static final String MEMBERS = "HEADGATE_SCHEDULER_GROUP_MEMBERS";

  // All guarded by this; all by name of the scheduler.
  private final Map<String, Wire> databases = new LinkedHashMap<>();
  private final Map<String, Wire> callers = new LinkedHashMap<>();
  private final Map<String, Wire> groups = new LinkedHashMap<>();

  @Override
  public boolean canSuffer(Fault fault) {
    return !fault.needsNamespaces();
  }

  @Override
  public Map<String, String> ofAgent(String node) {
    return Map.of();
  }

  @Override
  public URI services(URI services) {
    return services;
  }

  @Override
  public synchronized Map<String, String> ofScheduler(Map<String, String> told) {
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

  @Override
  public synchronized List<URI> addresses() {
    return callers.values().stream().map(wire -> URI.create("http://" + wire.address())).toList();
  }

  @Override
  public synchronized void cutOffDatabase(String scheduler, Set<Way> ways) {
    databases.get(scheduler).stall(ways);
  }

  @Override
  public synchronized void cutOffCallers(String scheduler, Set<Way> ways) {
    callers.get(scheduler).stall(ways);
  }

  @Override
  public void cutOffAgent(String node, Set<Way> ways) {
    throw new UnsupportedOperationException("agents have no wires of their own");
  }

  @Override
  public synchronized void cutGroup(Set<Way> ways) {
    groups.values().forEach(wire -> wire.stall(ways));
  }

  @Override
  public synchronized void separate(String one, String other) throws UnknownHostException {
    groups.get(one).separate(groupHost(other));
    groups.get(other).separate(groupHost(one));
  }

  @Override
  public synchronized void slow(Duration most) {
    for (Map<String, Wire> each : List.of(callers, groups)) {
      each.values().forEach(wire -> wire.slow(most));
    }
  }

  @Override
  public synchronized void hangUp() throws IOException {
    for (Wire wire : callers.values()) {
      wire.hangUp();
    }
  }

  @Override
  public synchronized void mend() {
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
