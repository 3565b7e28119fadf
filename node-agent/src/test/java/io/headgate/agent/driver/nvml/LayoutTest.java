package io.headgate.agent.driver.nvml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class LayoutTest {
  /// The C side asserts the same numbers against the facts about the real interface.
  @Test
  void isWhatACompilerMakesOfTheStructures() throws Exception {
    Path program = Path.of(System.getProperty("headgate.test.fakes"), "nvml-layout");
    Process process = new ProcessBuilder(program.toString()).start();
    Map<String, Integer> compiled = new TreeMap<>();
    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
        .lines()
        .map(line -> line.split(" ", -1))
        .forEach(words -> compiled.put(words[0], Integer.valueOf(words[1])));

    assertThat(process.waitFor()).isZero();
    for (Layout layout : Layout.ALL) {
      assertThat(compiled).containsEntry(layout.type(), layout.bytes());
      layout
          .offsets()
          .forEach((field, offset) ->
              assertThat(compiled).containsEntry(layout.type() + "." + field, offset));
    }
  }

  @Test
  void knowsTheVersionsThatTheDriverAsksFor() {
    assertThat(Layout.MEMORY_V2.version()).isEqualTo(0x02000028);
    assertThat(Layout.GPU_INSTANCE_PROFILE.version()).isEqualTo(0x02000098);
    assertThat(Layout.COMPUTE_INSTANCE_PROFILE.version()).isEqualTo(0x02000088);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Layout.MEMORY_V2.offset("nothing"))
        .withMessageContaining("nvmlMemory_v2_t has no field nothing");
  }
}
