package io.headgate.deploy.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.deploy.PipedCli;
import io.headgate.deploy.PipedCli.Result;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Many scenarios in one process.
class SimulateManyTest {
  @Test
  void answersEachScenarioInOrderWithWhatItPrintsAlone(@TempDir Path directory) throws IOException {
    Path file = directory.resolve("many.jsonl");
    Files.writeString(
        file,
        "long\t%s\nshort one\t%s\r\nlong\t%s".formatted(scenario(9), scenario(1), scenario(9)));

    Result many = SimulateCli.run("--many", file.toString());

    assertThat(many.lines())
        .containsExactlyElementsOf(
            keyed("long", scenario(9), "short one", scenario(1), "long", scenario(9)));
    assertThat(many.err()).isEqualTo("3 scenarios\n");
    assertThat(many.exitCode()).isZero();
  }

  @Test
  void aRefusedScenarioGivesTheTextThatItGivesAloneAndTheOthersGoOn() {
    String unknown = scenario(1).replace("\"queue\":\"q\"", "\"queue\":\"r\"");
    String taken =
        scenario(1)
            .replace("\"gpus\":1}]", "\"gpus\":1,\"geometry\":\"mig\"}]")
            .replace(
                "\"events\"",
                """
                "running":[{"queue":"q","job":"a","node":"n","devices":[{"index":0,"gpus":"1/2","slice":"1g@0"}]}],"events"\
                """);

    Result many =
        reading("a\t" + unknown + "\nb\t" + taken + "\nc\t{\"kind\":\nd\t" + scenario(1) + "\n");

    List<String> lines = many.lines();
    assertThat(lines.get(0)).isEqualTo("a\t" + errorAlone("a", unknown)).contains("QUEUE");
    assertThat(lines.get(1)).isEqualTo("b\t" + errorAlone("b", taken)).contains("SLICE_TAKEN");
    assertThat(lines.get(2)).startsWith("c\t{\"error\":\"error: ").contains("MALFORMED_YAML");
    assertThat(lines.subList(3, lines.size())).containsExactlyElementsOf(keyed("d", scenario(1)));
    assertThat(many.err()).isEqualTo("4 scenarios, 3 refused\n");
    assertThat(many.exitCode()).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{} | line 2 of standard-input has no tab between key and scenario",
        "\\t{} | line 2 of standard-input has no key before its tab",
        "k\\0\\t{} | line 2 of standard-input has a control character in its key",
      })
  void aLineWithoutAKeyIsAnsweredWithoutAKey(String line, String message) {
    Result many = reading("\n" + line.translateEscapes() + "\n");

    assertThat(many.lines())
        .singleElement()
        .asString()
        .startsWith("\t{\"error\":\"error: " + message)
        .contains("write one scenario a line");
    assertThat(many.exitCode()).isEqualTo(1);
  }

  @Test
  void refusesALineThatIsLargerThanAScenarioFileMayBe() {
    byte[] endless = new byte[(64 << 20) + 1];
    Arrays.fill(endless, (byte) ' ');
    InputStream input =
        new SequenceInputStream(
            Collections.enumeration(
                List.of(
                    stream("big\t"),
                    new ByteArrayInputStream(endless),
                    stream("\nsmall\t" + scenario(1) + "\n"))));

    List<String> lines = PipedCli.run(input, List.of("simulate", "--many", "-")).lines();

    assertThat(lines.getFirst())
        .startsWith("big\t{\"error\":\"error: line 1 of standard-input has more than 64 MiB");
    assertThat(lines.subList(1, lines.size()))
        .containsExactlyElementsOf(keyed("small", scenario(1)));
  }

  @Test
  void anInputWithoutScenariosGivesNothing() {
    Result many = reading("");

    assertThat(many.out()).isEmpty();
    assertThat(many.err()).isEqualTo("0 scenarios\n");
    assertThat(many.exitCode()).isZero();
  }

  @Test
  void untilEndsEachOfThem() {
    assertThat(reading("k\t" + scenario(9) + "\n", "--until", "2s").lines())
        .last()
        .asString()
        .contains("\"until\":\"2s\"");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--view summary | --view and --many cannot be combined",
        "--explain a@1s | --explain and --many cannot be combined",
        "--compare x.yaml | --compare and --many cannot be combined",
        "--plan x.yaml | --plan and --many cannot be combined",
        "--expect x.jsonl | --expect and --many cannot be combined",
        "examples/night.yaml | --many and the scenario \"examples/night.yaml\" cannot be combined",
        "--gpus 4 | flags of traces are given, but no trace",
        "--openb a b | a trace cannot be combined with a scenario or its flags",
        "-o jsonl | simulate has no output form",
      })
  void refusesFlagsThatBelongToOneScenario(String flags, String message) {
    Result many = reading("k\t" + scenario(1) + "\n", flags.split(" "));

    assertThat(many.exitCode()).isEqualTo(2);
    assertThat(many.out()).isEmpty();
    assertThat(many.err()).contains(message, "FLAGS_CONFLICT");
  }

  @Test
  void aFileThatIsMissingIsAnError() {
    Result many = SimulateCli.run("--many", "none.jsonl");

    assertThat(many.exitCode()).isEqualTo(2);
    assertThat(many.err()).contains("file \"none.jsonl\" does not exist");
  }

  private static String scenario(int seconds) {
    return """
    {"apiVersion":"headgate/v1","kind":"Scenario","configuration":{"pools":[{"name":"p"}],\
    "profiles":[{"name":"one","gpus":1,"pools":["p"]}],"policies":[{"name":"a","limit":4,\
    "queues":[{"name":"q","profile":"one"}]}]},"nodes":[{"name":"n","pool":"p","gpus":1}],\
    "events":[{"at":"0s","submit":{"queue":"q","job":"j","count":2,"duration":"%ds"}}]}\
    """
        .formatted(seconds);
  }

  private static Result reading(String input, String... flags) {
    List<String> words = new ArrayList<>(List.of("simulate", "--many", "-"));
    words.addAll(List.of(flags));
    return PipedCli.run(input, words);
  }

  /// The lines that the scenarios print alone, after their keys.
  private static List<String> keyed(String... keysAndScenarios) {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < keysAndScenarios.length; i += 2) {
      String begin = keysAndScenarios[i] + "\t";
      SimulateCli.scenario(keysAndScenarios[i + 1])
          .lines()
          .forEach(line -> lines.add(begin + line));
    }
    return lines;
  }

  /// The error that a scenario prints alone, as a JSON object.
  private static String errorAlone(String key, String scenario) {
    String printed = SimulateCli.scenario(scenario).err().strip();
    assertThat(printed).startsWith("error: ");
    return "{\"error\":\"%s\"}"
        .formatted(
            printed
                .replace("standard-input", key)
                .replace("\\", "\\\\")
                .replace("\"", "\\\"")
                .replace("\n", "\\n"));
  }

  private static InputStream stream(String text) {
    return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
  }
}
