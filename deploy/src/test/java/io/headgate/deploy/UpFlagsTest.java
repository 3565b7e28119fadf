package io.headgate.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Contradictory flags of `up` are refused before anything starts.
class UpFlagsTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          --once                            | --once needs --demo
          --demo --nodes cpu                | --demo brings its own configuration and nodes
          --ephemeral --data here           | --ephemeral and --data exclude each other
          --schedulers 10                   | "10" is not a number for --schedulers
          --port 70000                      | "70000" is not a port for --port
          --ip here                         | "here" is not an address for --ip
          --ip 192.0.2.1 --schedulers 3     | --schedulers needs a loopback address
          --share not-there                 | "not-there" is not a directory for --share
          --observe /dev/null               | "/dev/null" is not a directory for --observe
          --export-output                   | --export-output needs a receiver
          --observe /proc/here              | --observe cannot write to "/proc/here"
          --log-level loud                  | "loud" is not a value of --log-level
          --log-format xml                  | "xml" is not a value of --log-format
          """)
  void isRefused(String flags, String because) {
    List<String> words = new ArrayList<>(List.of("up"));
    words.addAll(List.of(flags.split(" ")));

    PipedCli.Result result = PipedCli.run("", words);

    assertThat(result.err()).contains(because);
    assertThat(result.exitCode()).isEqualTo(2);
    assertThat(result.out()).isEmpty();
  }

  @Test
  void filesThatCannotBeWrittenLaterAreWarnedAbout(@TempDir Path directory) throws IOException {
    UpFlags flags = new UpFlags();
    flags.observed = directory.resolve("observed");
    flags.observation().orElseThrow().check();
    Path inTheWay = directory.resolve("observed/dashboards");
    Files.delete(inTheWay);
    Files.writeString(inTheWay, "");
    List<String> warnings = new ArrayList<>();

    flags.observe(List.of(), directory, warnings::add);

    assertThat(warnings)
        .containsExactly(
            ("warning: the files for Prometheus and Grafana in \"%s\" are not complete: \"%s\" is"
                    + " not a directory; remove the cause, and start again with --observe")
                .formatted(flags.observed, inTheWay));
  }
}
