package io.headgate.sdk.cli.command.submit;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.proto.pool.v1.JobFiles;
import io.headgate.sdk.model.JobSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A user submits commands with paths of the own machine.
class CommandHintsTest {
  private static final Optional<String> HERE = Optional.of("here");

  /// Jobs are users of their own and find their own `/tmp`, as behind all walls.
  private static final JobFiles WALLED =
      JobFiles.newBuilder().setView("here").setOwnUsers(true).addHidden("/tmp").build();

  @TempDir private Path home;
  private Path script;

  @BeforeEach
  void writeScript() throws IOException {
    script = Files.writeString(home.resolve("train.py"), "print()\n");
  }

  @Test
  void saysThatJobsFindAnotherTmp() {
    assertThat(hints(WALLED, "sh", script.toString()).getFirst())
        .isEqualTo(
            "warning: jobs do not see " + script + ": jobs find a directory of their own at /tmp");
  }

  @Test
  void saysWhichDirectoryIsClosedToOtherUsers() throws IOException {
    Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rwx------"));
    JobFiles users = WALLED.toBuilder().clearHidden().build();

    assertThat(hints(users, "sh", script.toString()).getFirst())
        .endsWith(home.toAbsolutePath() + " is closed to other users");
    Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rwx--x--x"));
    Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rw-r--r--"));
    assertThat(hints(users, "sh", script.toString())).isEmpty();
    assertThat(hints(users, script.toString()).getFirst())
        .as("as a program")
        .endsWith(script + " is closed to other users");
  }

  @Test
  void aSharedDirectoryIsSeenBelowAHiddenAndClosedOne() throws IOException {
    Path shared = Files.createDirectory(home.resolve("shared"));
    Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rwx------"));
    Files.setPosixFilePermissions(shared, PosixFilePermissions.fromString("rwxr-xr-x"));
    Path open = Files.writeString(shared.resolve("train.py"), "print()\n");
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rw-r--r--"));
    JobFiles sharing = WALLED.toBuilder().addShared(shared.toString()).build();

    assertThat(hints(sharing, "sh", open.toString())).isEmpty();
    assertThat(hints(sharing, "sh", script.toString())).isNotEmpty();
  }

  @Test
  void saysNothingAboutFilesOfTheSystemAndJobsWithoutWalls() {
    assertThat(hints(WALLED, "/bin/sh", "/etc/hosts", "--in=/usr/bin", "/", "/no/such/file"))
        .isEmpty();
    assertThat(hints(JobFiles.newBuilder().setView("here").build(), "sh", script.toString()))
        .isEmpty();
    assertThat(hints(null, "sh", script.toString())).as("an old agent").isEmpty();
  }

  @Test
  void onAnotherMachineOnlySharedAndSystemDirectoriesAreKnown() {
    JobFiles other = JobFiles.newBuilder().setView("other").build();

    assertThat(hints(other, "sh", "/etc/hosts")).isEmpty();
    assertThat(hints(other.toBuilder().addShared(home.toString()).build(), "sh", script.toString()))
        .isEmpty();
    assertThat(hints(other, "sh", script.toString()).getFirst()).contains("another machine");
  }

  @Test
  void saysThatJobsStartElsewhere() {
    assertThat(hints(WALLED, "./train.py"))
        .containsExactly(
            "warning: jobs do not see ./train.py: they start in an empty directory of their own",
            "  name the directory: --workdir " + home);
    assertThat(hints(WALLED, "sh", "train.py")).hasSize(2);
    assertThat(hints(WALLED, "sh", "other.py")).as("not here either").isEmpty();
  }

  @Test
  void saysThatOneQuotedWordIsOneProgram() {
    assertThat(hints(WALLED, "python3 train.py"))
        .containsExactly(
            "warning: \"python3 train.py\" is one word, and so the name of one program",
            "  leave out its quotes: -- python3 train.py"
                + "     or let a shell read it: -- sh -c 'python3 train.py'");
  }

  @Test
  void saysThatAProgramIsNotInThePathOfJobs() {
    assertThat(hints(WALLED, "no-such-program").getFirst())
        .startsWith("warning: program not found: no-such-program; jobs search PATH /usr/local");
    assertThat(hints(WALLED.toBuilder().setView("other").build(), "no-such-program")).isEmpty();
  }

  private List<String> hints(@org.jspecify.annotations.Nullable JobFiles node, String... command) {
    List<JobFiles> nodes = node == null ? List.of() : List.of(node);
    return new CommandHints(home, HERE, () -> nodes).of(JobSpec.of("cpu", List.of(command)));
  }
}
