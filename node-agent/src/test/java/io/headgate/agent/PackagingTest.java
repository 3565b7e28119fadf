package io.headgate.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.agent.core.AttemptLifecycle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/// What is shipped beside the code says what the code does.
class PackagingTest {
  @Test
  void anInitSystemStopsTheAgentAndNoJob() throws Exception {
    assertThat(Files.readAllLines(Path.of("src/main/systemd/headgate-agent.service")))
        .contains("KillMode=process", "Delegate=yes", "DelegateSubgroup=agent");
  }

  @Test
  void theReadmeShowsTheLifecycleAsItIs() throws Exception {
    String diagram =
        AttemptLifecycle.table().stream()
            .map(row ->
                "  "
                    + row.from()
                    + " --> "
                    + row.to()
                    + ": "
                    + row.event()
                    + (row.actions().isEmpty() ? "" : " / " + row.actions()))
            .collect(Collectors.joining("\n", "stateDiagram-v2\n", ""));
    assertThat(Files.readString(Path.of("README.md")))
        .as("put this into the README:\n%s", diagram)
        .contains("```mermaid\n" + diagram + "\n```");
  }
}
