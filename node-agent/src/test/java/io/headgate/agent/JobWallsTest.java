package io.headgate.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.headgate.agent.runtime.host.JobWalls;
import io.headgate.agent.runtime.host.JobWalls.Wanted;
import io.headgate.kit.config.Secret;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.testing.Needed;
import io.headgate.kit.time.TimeSource;
import io.headgate.proto.agent.v1.AttemptReport.State;
import io.headgate.proto.agent.v1.Stop;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/// The walls around the jobs of a whole agent, as they stand on this machine, and what it says of
/// them.
class JobWallsTest {
  private static final boolean ROOT = "root".equals(System.getProperty("user.name"));

  @TempDir Path root;
  private final FakeControlPlane plane = new FakeControlPlane();
  private final Thread own = Thread.currentThread();
  private final List<String> said = new CopyOnWriteArrayList<>();
  private final Logger logger = (Logger) LoggerFactory.getLogger(JobWalls.class);
  private final AppenderBase<ILoggingEvent> ears =
      new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
          // Agents of other tests speak at the same time.
          if (Thread.currentThread() == own) {
            said.add(event.getLevel() + " " + event.getFormattedMessage());
          }
        }
      };
  private Optional<NodeAgent> agent = Optional.empty();

  @BeforeEach
  void listen() {
    ears.start();
    logger.setLevel(Level.INFO);
    logger.addAppender(ears);
  }

  @AfterEach
  void stop() {
    agent.ifPresent(running -> running.stopJobsAndClose(FakeControlPlane.PATIENCE));
    plane.close();
    logger.detachAppender(ears);
    logger.setLevel(null);
  }

  private NodeAgent open(WallsConfig walls) {
    return new NodeAgent(
        AgentConfig.of(root.resolve("n1"), "n1", plane.uri())
            .withJoinToken(Secret.of(FakeControlPlane.JOIN_TOKEN))
            .withWalls(walls),
        Telemetry.disabled(),
        TimeSource.system());
  }

  private void start(WallsConfig walls) {
    NodeAgent started = open(walls);
    agent = Optional.of(started);
    started.start();
    await().atMost(FakeControlPlane.PATIENCE).until(started::isReady);
  }

  private void assign(String job, int attempt, String script) {
    plane.send(Orders.message(Orders.assign(plane.leadership, job, script).setAttempt(attempt)));
  }

  private String output(String job, int attempt) throws Exception {
    return output(job, attempt, 1);
  }

  private String output(String job, int attempt, int lines) throws Exception {
    Path log = root.resolve("n1/attempts/acme.%s.%d.0/logs/stdout.0".formatted(job, attempt));
    await()
        .atMost(FakeControlPlane.PATIENCE)
        .until(() -> Files.exists(log) && Files.readAllLines(log).size() >= lines);
    return Files.readString(log).strip();
  }

  private void needWalls() {
    Needed.WALLS.demand(said.stream().noneMatch(line -> line.contains("NOT have")));
  }

  @Test
  void saysWhichWallsStand() {
    start(WallsConfig.DEFAULTS);
    if (ROOT) {
      assertThat(said)
          .anyMatch(line -> line.matches("(INFO jobs have|WARN jobs do NOT have) users.*"));
    } else {
      assertThat(said)
          .anyMatch(line -> line.startsWith("WARN jobs do NOT have users of their own:"));
    }
    assertThat(said)
        .anyMatch(line -> line.matches("(INFO jobs have|WARN jobs do NOT have) mounts.*"))
        .contains("INFO jobs have a filter of system calls")
        .filteredOn(line -> line.matches(".* limited in (cpu|memory|pids) .*"))
        .hasSize(3);
  }

  @Test
  void jobsAreStrangersToEachOther() throws Exception {
    start(WallsConfig.DEFAULTS);
    needWalls();
    assign("a", 1, "echo s > /tmp/a; echo s > secret; id -u; exec sleep 1000");
    String ada = output("a", 1);
    assign(
        "b",
        1,
        "id -u; ls /tmp; ls %s/attempts; ls %s; cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep -c jobs/a"
            .formatted(root.resolve("n1"), root.resolve("n1/checkpoints/acme")));
    plane.awaitEnd("b");
    List<String> lines = output("b", 1).lines().toList();
    assertThat(lines.getFirst()).matches("19[0-9]{8}").isNotEqualTo(ada);
    assertThat(lines.subList(1, lines.size()))
        .containsExactly(root.getFileName().toString(), "acme.b.1.0", "b", "0");
  }

  @Test
  void itsNextAttemptHasItsCheckpointsThoughItIsAnotherUser() throws Exception {
    start(WallsConfig.DEFAULTS);
    needWalls();
    assign("j", 1, "id -u; echo one > $HEADGATE_CHECKPOINT_DIR/c");
    plane.awaitEnd("j");
    Path checkpoint = root.resolve("n1/checkpoints/acme/j/c");
    int first = (int) Files.getAttribute(checkpoint, "unix:uid");
    assertThat(output("j", 1)).isEqualTo(Integer.toString(first));
    // As if another job had been that user meanwhile, or the range had changed.
    agent.orElseThrow().close();
    start(range(first + 1));
    assign("j", 2, "cat $HEADGATE_CHECKPOINT_DIR/c; echo two > $HEADGATE_CHECKPOINT_DIR/c; id -u");
    String[] lines = output("j", 2, 2).split("\n", -1);
    assertThat(lines).hasSize(2);
    assertThat(lines[0]).isEqualTo("one");
    assertThat(lines[1]).isNotEqualTo(Integer.toString(first));
    await()
        .atMost(FakeControlPlane.PATIENCE)
        .until(() -> Files.readString(checkpoint).equals("two\n"));
  }

  private static WallsConfig range(int first) {
    WallsConfig defaults = WallsConfig.DEFAULTS;
    return new WallsConfig(
        defaults.users(),
        first,
        10,
        defaults.namespaces(),
        defaults.network(),
        defaults.syscalls(),
        defaults.metadata(),
        defaults.disk(),
        defaults.shared(),
        defaults.devices(),
        defaults.limits());
  }

  @Test
  void aLaterAgentKnowsWhichUsersAreTaken() throws Exception {
    start(range(1_950_000_000));
    needWalls();
    for (int i = 0; i < 5; i++) {
      assign("first" + i, 1, "id -u; exec sleep 1000");
      output("first" + i, 1);
    }
    agent.orElseThrow().close();
    start(range(1_950_000_000));
    for (int i = 0; i < 5; i++) {
      assign("second" + i, 1, "id -u; exec sleep 1000");
    }
    List<String> users = new CopyOnWriteArrayList<>();
    for (int i = 0; i < 5; i++) {
      users.add(output("first" + i, 1));
      users.add(output("second" + i, 1));
    }
    assertThat(users).doesNotHaveDuplicates().hasSize(10);
    assign("one-too-many", 1, "id -u");
    assertThat(plane.awaitEnd("one-too-many").getError()).contains("no user is free");
    plane.send(Orders.stop(plane.leadership, "first0", Stop.Kind.KIND_CANCEL));
    plane.awaitEnd("first0");
    assign("next", 1, "id -u");
    assertThat(output("next", 1)).isEqualTo(users.getFirst());
  }

  @Test
  void findsSharedDirectoriesAndNoOthersBelowTmp() throws Exception {
    Path shared = Files.createDirectory(root.resolve("shared"));
    Files.writeString(shared.resolve("data"), "rows\n");
    Path other = Files.createDirectory(root.resolve("other"));
    start(WallsConfig.DEFAULTS.withShared(List.of(shared)));
    needWalls();
    assign("j", 1, "cat %s/data; ls -d %s || echo hidden".formatted(shared, other));
    assertThat(output("j", 1, 2)).isEqualTo("rows\nhidden");
  }

  @Test
  void reachesNothingButItsLoopbackWhereJobsHaveANetworkOfTheirOwn() throws Exception {
    WallsConfig walls = TestConfigs.walls(WallsConfig.Network.OWN);
    if (!ROOT) {
      assertThatExceptionOfType(UncheckedIOException.class)
          .isThrownBy(() -> open(walls))
          .withMessageContaining("walls.network is own, but does not work here");
      return;
    }
    start(WallsConfig.DEFAULTS);
    needWalls();
    agent.orElseThrow().close();
    start(walls);
    assertThat(said)
        .contains(
            "INFO jobs have mounts, processes, messages, device files and network of their own");
    URI here = plane.uri();
    new Socket(here.getHost(), here.getPort()).close();
    assign(
        "j",
        1,
        """
        exec /usr/bin/python3 -c '
        import socket
        print(*[name for _, name in socket.if_nameindex()])
        for address in [("%s", %d), ("169.254.169.254", 80)]:
          try:
            socket.create_connection(address)
          except OSError as e:
            print(e.strerror)
        server = socket.create_server(("127.0.0.1", 0))
        socket.create_connection(server.getsockname())
        print("itself", flush=True)'
        """
            .formatted(here.getHost(), here.getPort()));
    assertThat(output("j", 1, 4))
        .isEqualTo("lo\nConnection refused\nNetwork is unreachable\nitself");
  }

  @Test
  void runsJobsAsItselfWhereNoWallsAreWanted() throws Exception {
    start(TestConfigs.walls(Wanted.NONE));
    assertThat(said)
        .contains(
            "INFO jobs do not have users of their own: the configuration turns it off",
            "INFO jobs do not have mounts, processes, messages and device files of their own: the"
                + " configuration turns it off",
            "INFO jobs do not have a filter of system calls: the configuration turns it off");
    assign("j", 1, "id -un; ls -d $TMPDIR $HOME; pwd");
    Path attempt = root.resolve("n1/attempts/acme.j.1.0");
    assertThat(output("j", 1, 4).lines())
        .containsExactly(
            System.getProperty("user.name"),
            attempt.resolve("tmp").toString(),
            attempt.resolve("work").toString(),
            attempt.resolve("work").toString());
  }

  @Test
  void doesNotStartWithoutWallsThatAreRequired() {
    if (ROOT) {
      start(WallsConfig.DEFAULTS);
      needWalls();
      agent.orElseThrow().close();
      start(TestConfigs.walls(Wanted.REQUIRED));
    } else {
      assertThatExceptionOfType(UncheckedIOException.class)
          .isThrownBy(() -> open(TestConfigs.walls(Wanted.REQUIRED)))
          .withMessageContaining("walls.users is required, but does not work here");
    }
  }

  @Test
  void aGreedyJobThatRequestsNothingIsHeldToItsShareOfTheMemory() throws Exception {
    start(WallsConfig.DEFAULTS);
    needWalls();
    Needed.CGROUPS.demand(said.stream().anyMatch(line -> line.contains("limited in memory by")));
    assign(
        "greedy",
        1,
        """
        exec /usr/bin/python3 -c '
        import os
        limit = int(os.environ["HEADGATE_MEMORY_LIMIT_BYTES"])
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        print(limit <= total // 4, int(os.environ["HEADGATE_CPU_LIMIT_MILLIS"]) >= 1000, flush=True)
        enforced = []
        for line in open("/proc/self/cgroup"):
          number, controllers, path = line.strip().split(":", 2)
          for file in (f"/sys/fs/cgroup/memory{path}/memory.limit_in_bytes",
                       f"/sys/fs/cgroup{path}/memory.max"):
            if os.path.exists(file):
              enforced.append(open(file).read().strip())
        print(any(value.isdigit() and abs(int(value) - limit) < 1 << 20 for value in enforced),
            flush=True)'
        """);
    plane.awaitEnd("greedy");
    assertThat(output("greedy", 1, 2)).isEqualTo("True True\nTrue");
  }

  @Test
  void holdsAJobToItsProcesses() throws Exception {
    WallsConfig defaults = WallsConfig.DEFAULTS;
    start(
        new WallsConfig(
            defaults.users(),
            defaults.firstUser(),
            defaults.userCount(),
            defaults.namespaces(),
            defaults.network(),
            defaults.syscalls(),
            defaults.metadata(),
            defaults.disk(),
            defaults.shared(),
            defaults.devices(),
            new WallsConfig.Limits(
                40,
                1000,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                WallsConfig.Limits.Unrequested.SHARE)));
    needWalls();
    assign(
        "bomb",
        1,
        """
        ulimit -n
        exec /usr/bin/python3 -c '
        import os, signal
        forked = 0
        try:
          while forked < 500:
            if os.fork() == 0:
              signal.pause()
            forked += 1
        except BlockingIOError:
          print("bounded", flush=True)'
        """);
    plane.awaitEnd("bomb");
    assertThat(output("bomb", 1)).isEqualTo("1000\nbounded");
    assign("next", 1, "echo fine");
    plane.awaitState("next", State.STATE_ENDED);
    assertThat(output("next", 1)).isEqualTo("fine");
  }
}
