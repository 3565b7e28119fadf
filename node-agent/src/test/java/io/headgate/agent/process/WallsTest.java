package io.headgate.agent.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.agent.Processes;
import io.headgate.agent.core.DeviceNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Jobs behind walls that try to get over them: real processes, users and namespaces.
class WallsTest {
  private static final int ADA = 1_990_000_001;
  private static final int BOB = 1_990_000_002;

  /// Exists on every Linux and is no job's.
  private static final DeviceNode FUSE = new DeviceNode("nvidia-caps/nvidia-cap1", 10, 229);

  @TempDir Path root;

  @BeforeEach
  void needWalls() throws Exception {
    NeededWalls.demand(root);
  }

  /// A job's directories, as the agent makes them.
  private SupervisedJob job(int user) throws Exception {
    return job(user, Walls.Namespaces.SHARED_NETWORK, List.of());
  }

  private SupervisedJob job(int user, Walls.Namespaces namespaces, List<Path> owned)
      throws Exception {
    return job(user, namespaces, owned, List.of());
  }

  private SupervisedJob job(
      int user, Walls.Namespaces namespaces, List<Path> owned, List<Path> withheld)
      throws Exception {
    SupervisedJob job = new SupervisedJob(root);
    Path work = ownDirectory(job, "work", user);
    return job.directory(work)
        .walls(
            new Walls(
                OptionalInt.of(user),
                namespaces,
                new Walls.FileSystem(
                    Optional.empty(),
                    Optional.of(ownDirectory(job, "tmp", user)),
                    Optional.of(ownDirectory(job, "var-tmp", user)),
                    Optional.empty(),
                    withheld,
                    List.of(root),
                    Stream.concat(Stream.of(work), owned.stream()).toList(),
                    owned),
                List.of(FUSE),
                new Walls.Fence.Absent(),
                false,
                true,
                List.of(),
                new Walls.Limits(5000, 200)));
  }

  private static Path ownDirectory(SupervisedJob job, String name, int user) throws IOException {
    Path directory = Files.createDirectory(job.attempt.resolve(name));
    Files.setAttribute(directory, "unix:uid", user);
    Files.setAttribute(directory, "unix:gid", user);
    return directory;
  }

  @Test
  void isAUserWithoutGroupsOrPrivilegesAndKeepsItsExitCode() throws Exception {
    try (SupervisedJob job =
        job(ADA)
            .run(
                """
                id; grep -E '^(Cap...|NoNewPrivs|Groups|Seccomp):' /proc/self/status; pwd; echo a > a
                ulimit -n; ulimit -c; echo to stderr > /dev/stderr; echo to stdout > /dev/stdout; exit 7
                """)) {
      assertThat(job.awaitEnd().exitCode()).hasValue(7);
      assertThat(job.output().lines())
          .containsExactly(
              "uid=%d gid=%d groups=%d".formatted(ADA, ADA, ADA),
              "Groups:\t ",
              "CapInh:\t0000000000000000",
              "CapPrm:\t0000000000000000",
              "CapEff:\t0000000000000000",
              "CapBnd:\t0000000000000000",
              "CapAmb:\t0000000000000000",
              "NoNewPrivs:\t1",
              "Seccomp:\t2",
              job.attempt.resolve("work").toString(),
              "5000",
              "0",
              "to stdout");
      assertThat(job.output(AttemptLogs.Stream.STDERR)).isEqualTo("to stderr\n");
      assertThat(Files.getAttribute(job.attempt.resolve("work/a"), "unix:uid")).isEqualTo(ADA);
    }
  }

  @Test
  void gainsNothingBySetuidPrograms() throws Exception {
    try (SupervisedJob job =
        job(ADA).run("cp /usr/bin/id . ; chmod u+s id; ./id -u; su -c id 2>&1; mount | head -1")) {
      // A setuid program of root that an administrator left there by mistake gives no rights
      // either.
      Path id = Files.copy(Path.of("/usr/bin/id"), job.attempt.resolve("work/rootid"));
      Files.setPosixFilePermissions(id, PosixFilePermissions.fromString("rwxr-xr-x"));
      Files.setAttribute(id, "unix:mode", 04755);
      job.awaitEnd();
      assertThat(job.output()).startsWith(ADA + "\n").doesNotContain("uid=0");
    }
    SupervisedJob job = job(ADA);
    Path id = Files.copy(Path.of("/usr/bin/id"), job.attempt.resolve("work/rootid"));
    Files.setAttribute(id, "unix:mode", 04755);
    try (job) {
      job.run("./rootid -u");
      job.awaitEnd();
      assertThat(job.output()).isEqualTo(ADA + "\n");
    }
  }

  @Test
  void findsNothingOfItsNeighbour() throws Exception {
    Path marks = Files.createDirectory(root.resolve("marks"));
    try (SupervisedJob ada =
        job(ADA, Walls.Namespaces.OWN_NETWORK, List.of())
            .environment("SECRET", "of-ada")
            .run(
                """
                echo a > /tmp/ada; echo a > /var/tmp/ada; echo a > /dev/shm/ada; echo a > secret
                /usr/bin/python3 -c '
                import socket, time
                s = socket.socket(socket.AF_UNIX); s.bind("\\0ada"); s.listen()
                print("up", flush=True); time.sleep(1000)'
                """)) {
      ada.awaitOutput("up");
      long adasPid = ada.status().jobPid();
      try (SupervisedJob bob =
          job(BOB, Walls.Namespaces.OWN_NETWORK, List.of())
              .run(
                  """
                  ls /tmp /var/tmp /dev/shm
                  grep -l of-ada /proc/[0-9]*/environ
                  kill -9 %1$d; kill -0 %1$d; ls /proc/%1$d
                  ls %2$s %3$s; cat %3$s/secret
                  ps -e -o pid= | wc -l
                  /usr/bin/python3 -c '
                  import socket
                  socket.socket(socket.AF_UNIX).connect("\\0ada")' 2>&1 | tail -1
                  /usr/bin/python3 -c '
                  import ctypes
                  print("ptrace", ctypes.CDLL(None).ptrace(16, %1$d, 0, 0), ctypes.CDLL(None).ptrace(16, 1, 0, 0))'
                  kill -9 1; echo done
                  """
                      .formatted(adasPid, ada.attempt, ada.attempt.resolve("work")))) {
        bob.awaitEnd();
        assertThat(bob.output())
            .doesNotContain("ada\n", "secret")
            .contains("ptrace -1 -1", "refused", "done");
        assertThat(bob.output(AttemptLogs.Stream.STDERR)).contains("No such process");
      }
      assertThat(Processes.isAlive(adasPid)).isTrue();
    }
    assertThat(marks).isEmptyDirectory();
    assertThat(Path.of("/tmp/ada")).doesNotExist();
    assertThat(Path.of("/dev/shm/ada")).doesNotExist();
  }

  @Test
  void seesItsOwnDevicesAndNoOthers() throws Exception {
    try (SupervisedJob job =
        job(ADA)
            .run(
                """
                find /dev -type c -o -type b | sort
                for d in /dev/null /dev/zero /dev/urandom /dev/nvidia-caps/nvidia-cap1; do
                  exec 9<>$d && echo opened $d
                done
                mknod mine c 1 1 || echo no mknod
                /usr/bin/python3 -c 'import pty; print(pty.openpty())'
                """)) {
      job.awaitEnd();
      assertThat(job.output().lines())
          .contains(
              "/dev/nvidia-caps/nvidia-cap1",
              "opened /dev/null",
              "opened /dev/zero",
              "opened /dev/urandom",
              "opened /dev/nvidia-caps/nvidia-cap1",
              "no mknod",
              "(3, 4)")
          .noneMatch(line -> line.matches("/dev/(kmsg|mem|vd.*|kvm|fuse|loop.*|tty[0-9].*)"));
    }
  }

  @Test
  void endsWithItsDaemonsAndLeavesNothingMounted() throws Exception {
    try (SupervisedJob job =
        job(ADA).run("(setsid setsid sleep 1234 &) ; sleep 0.1; echo x; exit 3")) {
      assertThat(job.awaitEnd().exitCode()).hasValue(3);
      assertThat(Processes.isRunning("sleep", "1234")).isFalse();
    }
    assertThat(Files.readString(Path.of("/proc/self/mountinfo")))
        .doesNotContain(root.toString(), " headgate ");
  }

  @Test
  void diesWithItsSupervisorWithAllThatItStarted() throws Exception {
    try (SupervisedJob job =
        job(ADA).run("(setsid env -i sleep 54321 &) ; echo up; exec sleep 4321")) {
      job.awaitOutput("up");
      await()
          .atMost(SupervisedJob.PATIENCE)
          .until(
              () -> Processes.isRunning("sleep", "4321") && Processes.isRunning("sleep", "54321"));
      ProcessHandle.of(job.status().supervisorPid()).orElseThrow().destroyForcibly();
      await()
          .atMost(SupervisedJob.PATIENCE)
          .until(() ->
              !Processes.isRunning("sleep", "4321") && !Processes.isRunning("sleep", "54321"));
    }
  }

  @Test
  void isToldByACallbackThatIsInThereWithItAndByASignal() throws Exception {
    try (SupervisedJob job =
            job(ADA)
                .callback(
                    "id -u; grep Seccomp: /proc/self/status; kill -0 $HEADGATE_JOB_PID && echo found; ls /tmp/mine")
                .run(
                    "touch /tmp/mine; trap 'echo ended; exit 5' TERM; echo up; while :; do sleep 0.05; done");
        SupervisorLink link = job.link()) {
      job.awaitOutput("up");
      link.stop("preempted", Duration.ofSeconds(30), Duration.ofSeconds(30));
      assertThat(job.awaitEnd().exitCode()).hasValue(5);
      assertThat(job.output().lines())
          .containsExactly(
              "up", Integer.toString(ADA), "Seccomp:\t2", "found", "/tmp/mine", "ended");
    }
  }

  @Test
  void doesNotTakeTheMachineWithItsForks() throws Exception {
    try (SupervisedJob job =
        job(ADA)
            .run(
                """
                exec /usr/bin/python3 -c '
                import os, signal
                forked = 0
                try:
                  while forked < 2000:
                    if os.fork() == 0:
                      signal.pause()
                    forked += 1
                except BlockingIOError:
                  print("bounded", forked, flush=True)'
                """)) {
      assertThat(job.awaitEnd().exitCode()).hasValue(0);
      assertThat(job.output()).matches("bounded 1[0-9][0-9]\n");
    }
  }

  @Test
  void getsItsCheckpointsFromAnyEarlierUserAndNoTargetsOfTheirLinks() throws Exception {
    Path outside = Files.createDirectory(root.resolve("outside"));
    Path linked = Files.writeString(outside.resolve("linked"), "root's");
    Path pointed = Files.writeString(outside.resolve("pointed"), "root's");
    Path checkpoints = Files.createDirectory(root.resolve("checkpoints"));
    try (SupervisedJob first = job(ADA, Walls.Namespaces.SHARED_NETWORK, List.of(checkpoints))) {
      first.run(
          "cd %s; mkdir -p a/b; echo 1 > a/b/c; chmod 0 a/b; mkfifo p; touch d"
              .formatted(checkpoints));
      first.awaitEnd();
    }
    Files.createLink(checkpoints.resolve("hard"), linked);
    Files.createSymbolicLink(checkpoints.resolve("soft"), pointed);
    Files.createSymbolicLink(checkpoints.resolve("up"), outside);
    try (SupervisedJob second = job(BOB, Walls.Namespaces.SHARED_NETWORK, List.of(checkpoints))) {
      second.run(
          "cd %s; chmod 700 a/b; cat a/b/c; echo 2 > a/b/c; echo 3 > hard; cat a/b/c"
              .formatted(checkpoints));
      second.awaitEnd();
      assertThat(second.output()).isEqualTo("1\n2\n");
    }
    for (Path theirs : List.of(outside, linked, pointed)) {
      assertThat(Files.getAttribute(theirs, "unix:uid")).as("%s", theirs).isEqualTo(0);
    }
    assertThat(linked).hasContent("root's");
    for (String given : List.of("", "a", "a/b", "a/b/c", "p", "d", "soft")) {
      assertThat(
              Files.getAttribute(checkpoints.resolve(given), "unix:uid", LinkOption.NOFOLLOW_LINKS))
          .as(given)
          .isEqualTo(BOB);
    }
  }

  @Test
  void doesNotStartHalfWalledOff() throws Exception {
    SupervisedJob job = new SupervisedJob(root);
    job.walls(
        new Walls(
            OptionalInt.of(ADA),
            Walls.Namespaces.SHARED_NETWORK,
            new Walls.FileSystem(
                Optional.empty(),
                Optional.of(root.resolve("absent")),
                Optional.empty(),
                Optional.empty(),
                List.of(),
                List.of(),
                List.of(),
                List.of()),
            List.of(),
            new Walls.Fence.Absent(),
            false,
            true,
            List.of(),
            new Walls.Limits(0, 0)));
    assertThat(job.launch("touch " + root.resolve("ran")))
        .isEqualTo(
            new SupervisorLauncher.Result.Failed(
                "cannot raise the job's walls: replace /tmp: No such file or directory"));
    assertThat(root.resolve("ran")).doesNotExist();
  }

  @Test
  void loaderVariablesOfAJobNeverReachWhatRunsWithPrivileges() throws Exception {
    Path canary = Files.createDirectory(root.resolve("canary"));
    Files.setPosixFilePermissions(canary, PosixFilePermissions.fromString("rwxrwxrwx"));
    SupervisedJob job = job(ADA);
    Path library = job.attempt.resolve("work/canary.so");
    Path source =
        Files.writeString(
            root.resolve("canary.c"),
            """
            #include <stdio.h>
            #include <unistd.h>
            __attribute__((constructor)) static void sing(void) {
              char path[200];
              snprintf(path, sizeof path, "CANARY.%d", (int)getuid());
              FILE *song = fopen(path, "w");
              if (song) fclose(song);
            }
            """);
    assertThat(
            new ProcessBuilder(
                    "cc", "-shared", "-fPIC", "-o", library.toString(), source.toString())
                .inheritIO()
                .start()
                .waitFor())
        .isZero();
    try (job) {
      job.environment("LD_PRELOAD", library.toString())
          .environment("LD_AUDIT", library.toString())
          .environment("BASH_ENV", job.attempt.resolve("work/env.sh").toString())
          .callback("true");
      Files.writeString(job.attempt.resolve("work/env.sh"), "touch BASH.$UID\n");
      job.run("echo up; sleep 1000");
      job.awaitOutput("up");
      try (SupervisorLink link = job.link()) {
        for (String maps : List.of("maps", "environ")) {
          for (long pid : List.of(job.status().supervisorPid(), first(job))) {
            assertThat(Files.readString(Path.of("/proc", Long.toString(pid), maps)))
                .doesNotContain("canary", "BASH_ENV");
          }
        }
        link.stop("preempted", Duration.ofSeconds(30), Duration.ofSeconds(30));
        job.awaitEnd();
      }
      try (var files = Files.walk(root)) {
        assertThat(files.map(file -> file.getFileName().toString()))
            .as("the job did load it, nobody else did")
            .contains("CANARY." + ADA, "BASH." + ADA)
            .noneMatch(name -> name.equals("CANARY.0") || name.equals("BASH.0"));
      }
    }
  }

  /// The first process of the job's namespaces.
  private static long first(SupervisedJob job) {
    return ProcessHandle.of(job.status().supervisorPid())
        .orElseThrow()
        .children()
        .mapToLong(ProcessHandle::pid)
        .filter(pid -> pid != job.status().jobPid())
        .findFirst()
        .orElseThrow();
  }
}
