package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.testing.Wire.Way;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// A network whose packets are lost. Each scheduler and each agent has a network namespace of its
/// own, and a bridge joins them with the namespace of this process, where PostgreSQL and the other
/// services run. Rules of the packet filter drop packets, so nothing tells either end: no reset, no
/// end of a connection.
///
/// Each process listens on the loopback address of its namespace. Address translation brings what
/// comes over the bridge there, so that the settings of the processes change by addresses only.
///
/// Takes a process that has a network namespace and a mount namespace for itself: all of this ends
/// with them.
final class Namespaces implements Network {
  /// A library loaded before all others, because the product starts the processes.
  private static final String ENTER =
      """
      #define _GNU_SOURCE
      #include <fcntl.h>
      #include <sched.h>
      #include <stdlib.h>
      #include <unistd.h>

      __attribute__((constructor)) static void enter(void) {
        const char *path = getenv("NETWORK_NAMESPACE");
        int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
        if (file < 0) return;
        /* A process without the rights for it has inherited the namespace. */
        if (setns(file, CLONE_NEWNET) != 0 && geteuid() == 0) abort();
        close(file);
      }
      """;

  private static final String BRIDGE = "hg0";
  private static final String NET = "10.77.0.";
  private static final String HUB = NET + "1";
  private static final int FIRST_SCHEDULER = 11;
  private static final int FIRST_AGENT = 21;
  private static final String LOOPBACK = "127.0.0.1";

  private static final String DATABASE = "HEADGATE_SCHEDULER_DATABASE_URL";
  private static final String ADVERTISED = "HEADGATE_SCHEDULER_ADVERTISED_ADDRESS";
  private static final String GROUP_ADVERTISED = "HEADGATE_SCHEDULER_GROUP_ADVERTISED_ADDRESS";
  private static final String MEMBERS = "HEADGATE_SCHEDULER_GROUP_MEMBERS";
  private static final List<String> SERVERS =
      List.of("HEADGATE_SCHEDULER_POOLS_SERVER", "HEADGATE_SCHEDULER_POLICIES_SERVER");

  private final Path directory;
  private final Path library;

  // All guarded by this; by name of the scheduler or the node.
  private final Map<String, Integer> hosts = new LinkedHashMap<>();
  private final Map<String, Ports> ports = new LinkedHashMap<>();

  /// Ports on which a scheduler and its PostgreSQL listen.
  private record Ports(int api, int group, int database) {}

  private Namespaces(Path directory, Path library) {
    this.directory = directory;
    this.library = library;
  }

  /// Makes the bridge.
  static Namespaces on(Path directory) throws IOException, InterruptedException {
    Files.createDirectories(directory);
    Path source = Files.writeString(directory.resolve("enter.c"), ENTER);
    Path library = directory.resolve("enter.so");
    run("cc", "-shared", "-fPIC", "-o", library.toString(), source.toString());
    Namespaces made = new Namespaces(directory, library);
    run("ip", "link", "set", "lo", "up");
    run("ip", "link", "add", BRIDGE, "type", "bridge");
    run("ip", "address", "add", HUB + "/24", "dev", BRIDGE);
    run("ip", "link", "set", BRIDGE, "up");
    routeLoopback(List.of());
    // PostgreSQL accepts connections of its own machine only.
    nat("PREROUTING -i %s -d %s -p tcp -j DNAT --to-destination %s", BRIDGE, HUB, LOOPBACK);
    nat("INPUT -i %s -p tcp -j SNAT --to-source %s", BRIDGE, LOOPBACK);
    nat("POSTROUTING -o %s -s %s -p tcp -j SNAT --to-source %s", BRIDGE, LOOPBACK, HUB);
    return made;
  }

  private static void nat(String rule, Object... values) {
    run(words("iptables -w -t nat -A " + rule.formatted(values)));
  }

  private static String[] words(String command) {
    return command.split(" ");
  }

  /// Lets packets from other hosts go to the loopback address after their translation.
  private static void routeLoopback(List<String> inNamespace) {
    List<String> command = new ArrayList<>(inNamespace);
    command.addAll(List.of("sh", "-c", "echo 1 > /proc/sys/net/ipv4/conf/all/route_localnet"));
    run(command.toArray(String[]::new));
  }

  /// The namespace of a scheduler or a node, made at its first start.
  private void ensure(String name, int host) {
    if (hosts.putIfAbsent(name, host) != null) {
      return;
    }
    Path file = directory.resolve(name + ".net");
    try {
      Files.createFile(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    run("unshare", "--net=" + file, "true");
    String own = Long.toString(ProcessHandle.current().pid());
    String end = "v" + host;
    in(name, "ip link add eth0 type veth peer name %s netns %s".formatted(end, own));
    run("ip", "link", "set", end, "master", BRIDGE);
    run("ip", "link", "set", end, "up");
    in(name, "ip address add %s/24 dev eth0".formatted(address(host)));
    in(name, "ip link set eth0 up");
    in(name, "ip link set lo up");
    routeLoopback(List.of("nsenter", "--net=" + file));
    in(
        name,
        "iptables -w -t nat -A PREROUTING -i eth0 -p tcp -j DNAT --to-destination " + LOOPBACK);
  }

  private void in(String name, String command) {
    List<String> all =
        new ArrayList<>(List.of("nsenter", "--net=" + directory.resolve(name + ".net")));
    all.addAll(List.of(words(command)));
    run(all.toArray(String[]::new));
  }

  private static void run(String... command) {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor()).as("%s: %s", String.join(" ", command), said).isZero();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static String address(int host) {
    return NET + host;
  }

  /// Without delays: `tc netem` is not in every kernel.
  @Override
  public boolean canSuffer(Fault fault) {
    return fault.isOfNetwork() && fault != Fault.SLOW_WIRES;
  }

  @Override
  public synchronized Map<String, String> ofScheduler(Map<String, String> told) {
    String name = told.get("HEADGATE_SCHEDULER_REPLICA");
    int number = Integer.parseInt(name.substring("scheduler-".length())) - 1;
    String[] members = told.get(MEMBERS).split(",");
    URI database = URI.create(told.get(DATABASE).substring("jdbc:".length()));
    Ports own = new Ports(port(told.get(ADVERTISED)), port(members[number]), database.getPort());
    int host = FIRST_SCHEDULER + number;
    ensure(name, host);
    if (ports.putIfAbsent(name, own) == null) {
      // Callers on this host know the scheduler by the loopback address.
      nat(
          "OUTPUT -d %s -p tcp --dport %d -j DNAT --to-destination %s",
          LOOPBACK, own.api(), address(host));
    }
    Map<String, String> changed = new HashMap<>(told);
    changed.put(DATABASE, told.get(DATABASE).replace(LOOPBACK, HUB));
    SERVERS.forEach(server -> changed.put(server, told.get(server).replace(LOOPBACK, HUB)));
    changed.put(ADVERTISED, address(host) + ":" + own.api());
    changed.put(GROUP_ADVERTISED, address(host) + ":" + own.group());
    List<String> all = new ArrayList<>();
    for (int i = 0; i < members.length; i++) {
      all.add(address(FIRST_SCHEDULER + i) + ":" + port(members[i]));
    }
    changed.put(MEMBERS, String.join(",", all));
    changed.putAll(entering(name));
    return changed;
  }

  @Override
  public synchronized Map<String, String> ofAgent(String node) {
    if (!hosts.containsKey(node)) {
      int agents =
          Math.toIntExact(hosts.values().stream().filter(each -> each >= FIRST_AGENT).count());
      ensure(node, FIRST_AGENT + agents);
    }
    return entering(node);
  }

  private Map<String, String> entering(String name) {
    return Map.of(
        "LD_PRELOAD", library.toString(),
        "NETWORK_NAMESPACE", directory.resolve(name + ".net").toString());
  }

  private static int port(String address) {
    return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
  }

  @Override
  public URI services(URI services) {
    return URI.create("http://" + HUB + ":" + services.getPort());
  }

  @Override
  public synchronized List<URI> addresses() {
    return ports.entrySet().stream()
        .map(each ->
            URI.create("http://" + address(hosts.get(each.getKey())) + ":" + each.getValue().api()))
        .toList();
  }

  /// Drops packets within a namespace.
  ///
  /// @param conditions of the packet filter, for each direction
  private void drop(String name, Set<Way> ways, Map<Way, String> conditions) {
    conditions.forEach((way, condition) -> {
      if (ways.contains(way)) {
        in(name, "iptables -w -A " + condition + " -j DROP");
      }
    });
  }

  @Override
  public synchronized void cutOffDatabase(String scheduler, Set<Way> ways) {
    int port = ports.get(scheduler).database();
    drop(
        scheduler,
        ways,
        Map.of(
            Way.CALLS, "OUTPUT -p tcp -d %s --dport %d".formatted(HUB, port),
            Way.ANSWERS, "INPUT -p tcp -s %s --sport %d".formatted(HUB, port)));
  }

  @Override
  public synchronized void cutOffCallers(String scheduler, Set<Way> ways) {
    int port = ports.get(scheduler).api();
    drop(
        scheduler,
        ways,
        Map.of(
            Way.CALLS, "INPUT -p tcp --dport " + port,
            Way.ANSWERS, "OUTPUT -p tcp --sport " + port));
  }

  @Override
  public synchronized void cutOffAgent(String node, Set<Way> ways) {
    drop(node, ways, Map.of(Way.CALLS, "OUTPUT -o eth0", Way.ANSWERS, "INPUT -i eth0"));
  }

  @Override
  public synchronized void cutGroup(Set<Way> ways) {
    ports.forEach((scheduler, own) ->
        drop(
            scheduler,
            ways,
            Map.of(
                Way.CALLS, "INPUT -p tcp --dport " + own.group(),
                Way.ANSWERS, "OUTPUT -p tcp --sport " + own.group())));
  }

  @Override
  public synchronized void separate(String one, String other) {
    dropGroup(one, other);
    dropGroup(other, one);
  }

  private void dropGroup(String at, String from) {
    String sender = address(hosts.get(from));
    in(
        at,
        "iptables -w -A INPUT -p tcp -s %s --dport %d -j DROP"
            .formatted(sender, ports.get(at).group()));
    in(
        at,
        "iptables -w -A INPUT -p tcp -s %s --sport %d -j DROP"
            .formatted(sender, ports.get(from).group()));
  }

  @Override
  public void slow(Duration most) {
    throw new UnsupportedOperationException("no delays");
  }

  @Override
  public void hangUp() {
    throw new UnsupportedOperationException("no resets");
  }

  @Override
  public synchronized void mend() {
    hosts
        .keySet()
        .forEach(name -> {
          in(name, "iptables -w -F INPUT");
          in(name, "iptables -w -F OUTPUT");
        });
  }

  @Override
  public void close() {
    mend();
  }
}
