package io.headgate.deploy.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.deploy.PipedCli;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Every scenario in `deploy/examples` gives the output in the file beside it, which was reviewed.
/// `-Dgolden=write` writes these files; review the difference in git afterwards.
class ExamplesTest {
  private static final Path DIRECTORY = Path.of("examples");

  static List<Path> scenarios() throws IOException {
    try (Stream<Path> files = Files.list(DIRECTORY)) {
      return files.filter(file -> file.toString().endsWith(".yaml")).sorted().toList();
    }
  }

  @Test
  void bothExamplesOfTheDesignAreThere() throws IOException {
    assertThat(scenarios())
        .contains(DIRECTORY.resolve("reclaim.yaml"), DIRECTORY.resolve("two-pools.yaml"));
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void printsWhatStandsBesideIt(Path scenario) throws IOException {
    PipedCli.Result first = SimulateCli.run(scenario.toString());
    Path expected = Path.of(scenario.toString().replace(".yaml", ".jsonl"));
    if ("write".equals(System.getProperty("golden"))) {
      Files.writeString(expected, first.out());
    }

    assertThat(first.err()).isEmpty();
    assertThat(first.exitCode()).isZero();
    assertThat(first.out()).isEqualTo(Files.readString(expected));
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void printsTheSameBytesAgain(Path scenario) {
    assertThat(SimulateCli.run(scenario.toString()).out())
        .isEqualTo(SimulateCli.run(scenario.toString()).out());
  }
}
