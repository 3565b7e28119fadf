package io.headgate.sdk.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.sdk.cli.TestCli.Result;
import io.headgate.sdk.gate.TestGate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// `headgate export --into`: a file that a person keeps under version control.
class ExportTest {
  private final TestGate gate = TestGate.open();
  @TempDir Path home;
  private Path file;

  @BeforeEach
  void fill() {
    Fixtures.fill(gate);
    file = home.resolve("acme.yaml");
  }

  @AfterEach
  void close() {
    gate.close();
  }

  private TestCli cli() {
    return TestCli.at(gate, home);
  }

  private Result into() {
    return cli().run("export", "--into", file.toString());
  }

  @Test
  void aSecondExportChangesNothing() throws IOException {
    assertThat(into().out()).isEqualTo(file + " is new: it states the configuration in force\n");
    String first = Files.readString(file);
    assertThat(first).isEqualTo(cli().run("export").out());
    assertThat(into().out()).isEqualTo(file + " states the configuration in force already\n");
    assertThat(Files.readString(file)).isEqualTo(first);
  }

  @Test
  void aPersonsFileKeepsItsCommentsOrderAndMode() throws IOException {
    String exported = cli().run("export").out();
    String mine =
        exported
            .replace("limit: 8\n", "limit: 7   # ask ada\n")
            .replace("\npools:", "\n# Racks.\npools:");
    Files.writeString(file, mine);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
    assertThat(into().out()).startsWith(file + " is up to date: edited in ");
    assertThat(Files.readString(file)).isEqualTo(mine.replace("limit: 7 ", "limit: 8 "));
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-r-----");
    assertThat(cli().run("plan", file.toString()).out()).startsWith("No changes.");
    try (var left = Files.list(home)) {
      assertThat(left.filter(each -> each.toString().endsWith(".tmp"))).isEmpty();
    }
  }

  @Test
  void aFileThatIsAnothersOrBrokenStays() throws IOException {
    Files.writeString(file, "apiVersion: headgate/v1\nkind: Configuration\ntenant: globex\n");
    Result other = into();
    assertThat(other.exitCode()).isEqualTo(2);
    assertThat(other.err())
        .contains("is for tenant globex, not for tenant acme", "headgate export -t globex --into");
    Files.writeString(file, "{apiVersion: headgate/v1, kind: Configuration, tenant: acme}");
    assertThat(into().err()).contains("cannot be edited: it is JSON", "headgate export > " + file);
    Files.writeString(file, "pools: [");
    assertThat(into().err()).contains("acme.yaml:1");
    assertThat(Files.readString(file)).isEqualTo("pools: [");
  }
}
