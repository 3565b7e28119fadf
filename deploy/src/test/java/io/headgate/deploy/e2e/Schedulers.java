package io.headgate.deploy.e2e;

import static org.awaitility.Awaitility.await;

import io.headgate.deploy.Installation;
import io.headgate.kit.testing.Wire.Way;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Three scheduler processes, and what a test does to them and to their database.
final class Schedulers {
  private static final Logger LOG = LoggerFactory.getLogger(Schedulers.class);

  static final Duration PATIENCE = Duration.ofMinutes(5);

  /// How late a word is on a slow wire, at most.
  private static final Duration LATE = Duration.ofMillis(300);

  /// Longer than Hazelcast waits for a heartbeat, shorter than a lease.
  private static final Duration A_WHILE = Duration.ofSeconds(7);

  /// Less than `stopAfter`, so that no job is started again; longer than an agent's heartbeats.
  private static final Duration LONGER = Duration.ofSeconds(15);

  private static final Pattern ABOUT_LEADING = Pattern.compile("\\.(Replica|Election|Takeover) ");

  private final Installation installation;
  private final Path data;
  private final RandomGenerator random;
  private final Optional<Surroundings> surroundings;

  /// Parts beside the schedulers that a test can disturb.
  ///
  /// @param network between schedulers and all others
  /// @param agents that are processes
  /// @param clocks of all of them
  /// @param disk of the database
  record Surroundings(Network network, AgentProcesses agents, Clocks clocks, DatabaseDisk disk) {}

  /// @param surroundings empty: only what needs none is done to them
  Schedulers(
      Installation installation,
      Path data,
      RandomGenerator random,
      Optional<Surroundings> surroundings) {
    this.installation = installation;
    this.data = data;
    this.random = random;
    this.surroundings = surroundings;
  }

  /// When a fault struck and when it was over, in milliseconds of the wall clock.
  record Struck(long atMs, long overMs) {
    /// When the promise of the fault begins to count.
    long countsFromMs(Fault fault) {
      return fault.leading() == Fault.Leading.CHANGES ? atMs : overMs;
    }
  }

  /// Does it, once all is well.
  Struck suffer(Fault fault) throws Exception {
    LeadershipRow led = awaitWhole();
    String leader = led.leader().orElseThrow();
    long epoch = led.epoch();
    List<ProcessHandle> followers = new ArrayList<>();
    installation
        .schedulers()
        .forEach((name, process) -> {
          if (!name.equals(leader)) {
            followers.add(process);
          }
        });
    ProcessHandle leading = installation.schedulers().get(leader);
    ProcessHandle follower = followers.get(random.nextInt(followers.size()));
    long struckMs = System.currentTimeMillis();
    switch (fault) {
      case KILL_LEADER -> leading.destroyForcibly();
      case PAUSE_LEADER -> pauseUntil(List.of(leading), () -> awaitLaterThan(epoch));
      case STOP_LEADER -> leading.destroy();
      case KILL_FOLLOWER -> follower.destroyForcibly();
      case PAUSE_FOLLOWER -> pauseUntil(List.of(follower), Schedulers::waitAWhile);
      case KILL_TWO -> {
        leading.destroyForcibly();
        follower.destroyForcibly();
      }
      case FREEZE_DATABASE -> pauseUntil(database(), Schedulers::waitAWhile);
      case KILL_DATABASE -> database().getFirst().destroyForcibly();
      case SLOW_DISK -> {
        disk().slow(installation.postgresPort());
        waitAWhile();
        disk().quick(installation.postgresPort());
      }
      case FAIL_DISK -> {
        List<ProcessHandle> database = database();
        disk().fail(database);
        await().atMost(PATIENCE).until(() -> !database.getFirst().isAlive());
      }
      case FILL_DISK -> {
        disk().fill();
        waitAWhile();
        disk().empty();
      }
      case CUT_OFF_DATABASE -> {
        network().cutOffDatabase(leader, Network.BOTH);
        mendAfter(() -> awaitLaterThan(epoch));
      }
      case HALF_CUT_OFF_DATABASE -> {
        network().cutOffDatabase(leader, anyWay());
        mendAfter(() -> awaitLaterThan(epoch));
      }
      case CUT_OFF_CALLERS -> {
        network().cutOffCallers(leader, Network.BOTH);
        mendAfter(Schedulers::waitAWhile);
      }
      case HALF_CUT_OFF_CALLERS -> {
        network().cutOffCallers(leader, anyWay());
        mendAfter(Schedulers::waitAWhile);
      }
      case CUT_OFF_ALL_AGENTS -> {
        network().cutOffCallers(leader, Network.BOTH);
        mendAfter(() -> awaitLaterThan(epoch));
      }
      case CUT_GROUP -> {
        network().cutGroup(Network.BOTH);
        mendAfter(Schedulers::waitAWhile);
      }
      case HALF_CUT_GROUP -> {
        network().cutGroup(anyWay());
        mendAfter(Schedulers::waitAWhile);
      }
      case SPLIT_GROUP -> {
        List<String> all = inAnyOrder();
        separate(all.getFirst(), all.subList(1, 3));
        await().atMost(PATIENCE).until(() -> !isGroupWhole());
        mendAfter(Schedulers::waitAWhile);
      }
      case BRIDGE_GROUP -> {
        List<String> all = inAnyOrder();
        separate(all.getFirst(), all.subList(1, 2));
        // The test cannot await a change of the group here: members are removed or not, depending
        // on which member is the oldest.
        mendAfter(Schedulers::waitAWhile);
      }
      case SLOW_WIRES -> {
        network().slow(LATE);
        waitAWhile();
        network().hangUp();
        network().mend();
      }
      case KILL_AGENT -> agents().process(anyAgent()).destroyForcibly();
      case PAUSE_AGENT -> pauseUntil(List.of(agents().process(anyAgent())), Schedulers::waitAWhile);
      case CUT_OFF_AGENT -> cutOffAgent(Network.BOTH);
      case HALF_CUT_OFF_AGENT -> cutOffAgent(anyWay());
      case SET_LEADER_CLOCK -> set(leader, Duration.ofSeconds(random.nextInt(15, 26)));
      case SET_AGENT_CLOCK -> set(anyAgent(), Duration.ofDays(random.nextInt(1, 4)));
    }
    return new Struck(struckMs, System.currentTimeMillis());
  }

  /// Something that the test waits for.
  private interface Await {
    void end() throws Exception;
  }

  private static void pauseUntil(List<ProcessHandle> processes, Await over) throws Exception {
    signal("STOP", processes);
    over.end();
    signal("CONT", processes);
  }

  private void mendAfter(Await over) throws Exception {
    over.end();
    network().mend();
  }

  private void cutOffAgent(Set<Way> ways) throws Exception {
    String node = anyAgent();
    LOG.info("{} is cut off", node);
    network().cutOffAgent(node, ways);
    waitFor(LONGER);
    network().mend();
  }

  private Network network() {
    return surroundings.orElseThrow().network();
  }

  private AgentProcesses agents() {
    return surroundings.orElseThrow().agents();
  }

  private DatabaseDisk disk() {
    return surroundings.orElseThrow().disk();
  }

  private String anyAgent() {
    List<String> nodes = agents().nodes();
    return nodes.get(random.nextInt(nodes.size()));
  }

  private List<String> inAnyOrder() {
    List<String> names = new ArrayList<>(installation.schedulers().keySet());
    // As they are numbered, so that a seed plays the same again.
    Collections.sort(names);
    Collections.shuffle(names, random);
    return names;
  }

  private void separate(String one, List<String> others) throws Exception {
    await().atMost(PATIENCE).until(this::isGroupWhole);
    LOG.info("{} and {} do not see each other", one, others);
    for (String other : others) {
      network().separate(one, other);
    }
  }

  private boolean isGroupWhole() throws IOException {
    return ProcessLogs.groups(data.resolve("schedulers")).stream()
        .allMatch(group -> group.size() == installation.schedulers().size());
  }

  private Set<Way> anyWay() {
    Way way = random.nextBoolean() ? Way.CALLS : Way.ANSWERS;
    LOG.info("without {}", way);
    return Set.of(way);
  }

  private void set(String clock, Duration wrongBy) {
    Duration set = random.nextBoolean() ? wrongBy : wrongBy.negated();
    LOG.info("the clock of {} is wrong by {}", clock, set);
    surroundings.orElseThrow().clocks().set(clock, set);
  }

  /// All three serve, and one leads.
  private LeadershipRow awaitWhole() {
    await()
        .atMost(PATIENCE)
        .until(() ->
            installation.schedulers().values().stream().allMatch(ProcessHandle::isAlive)
                && installation.schedulerUris().stream().allMatch(Schedulers::serves));
    return await().atMost(PATIENCE).until(this::leadership, led -> led.leader().isPresent());
  }

  private LeadershipRow leadership() throws IOException {
    try {
      return LeadershipRow.read(data, installation.postgresPort());
    } catch (SQLException e) {
      LOG.debug("the database does not answer yet", e);
      return new LeadershipRow(0, Optional.empty());
    }
  }

  /// Log lines of all schedulers on leadership, oldest first, for the message of a failed test.
  String saidOfLeading() throws IOException {
    List<String> said = new ArrayList<>();
    try (Stream<Path> logs = Files.list(data.resolve("schedulers"))) {
      for (Path log : logs.toList()) {
        Files.readAllLines(log).stream().filter(ABOUT_LEADING.asPredicate()).forEach(said::add);
      }
    }
    return said.stream().sorted().collect(Collectors.joining("\n", "\n", "\n"));
  }

  /// The epoch of the leader, as soon as there is one.
  long epoch() {
    return await()
        .atMost(PATIENCE)
        .until(this::leadership, led -> led.leader().isPresent())
        .epoch();
  }

  private static boolean serves(URI uri) {
    try (Socket socket = new Socket(uri.getHost(), uri.getPort())) {
      return socket.isConnected();
    } catch (IOException e) {
      return false;
    }
  }

  void awaitLaterThan(long epoch) {
    await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(20))
        .until(this::leadership, led -> led.epoch() > epoch && led.leader().isPresent());
  }

  /// The postmaster first, then what it started.
  private List<ProcessHandle> database() {
    String directory = data.resolve("pg").toString();
    return ProcessHandle.allProcesses()
        .filter(process ->
            process
                .info()
                .commandLine()
                .filter(line -> line.contains("postgres") && line.contains(directory))
                .isPresent())
        .flatMap(postmaster -> Stream.concat(Stream.of(postmaster), postmaster.descendants()))
        .distinct()
        .toList();
  }

  private static void waitAWhile() throws InterruptedException {
    waitFor(A_WHILE);
  }

  private static void waitFor(Duration duration) throws InterruptedException {
    boolean never = new CountDownLatch(1).await(duration.toMillis(), TimeUnit.MILLISECONDS);
    assert !never;
  }

  static void signal(String name, List<ProcessHandle> processes)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("kill", "-" + name));
    processes.forEach(process -> command.add(Long.toString(process.pid())));
    // A backend that has just ended is no longer there to be signalled.
    new ProcessBuilder(command).start().waitFor();
  }
}
