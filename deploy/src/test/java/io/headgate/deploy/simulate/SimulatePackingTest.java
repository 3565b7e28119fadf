package io.headgate.deploy.simulate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.sdk.cli.error.ExitCode;
import io.headgate.sdk.cli.frame.CliEnvironment;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.cli.output.UsageException;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.ZoneOffset;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class SimulatePackingTest {
  @TempDir private Path directory;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private String nodes = "";
  private String pods = "";

  @BeforeEach
  void writeTrace() throws Exception {
    nodes = file("nodes.csv", "sn,cpu_milli,memory_mib,gpu,model\nn0,64000,262144,2,P100\n");
    pods =
        file(
            "pods.csv",
            """
            name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec
            a,1000,1024,1,500,
            b,1000,1024,1,500,P100|T4
            c,1000,1024,1,1000,
            """);
  }

  private String file(String name, String text) throws Exception {
    return Files.writeString(directory.resolve(name), text).toString();
  }

  private int simulate(String... arguments) throws Exception {
    SimulateCommand command = new SimulateCommand();
    new CommandLine(command).parseArgs(arguments);
    PrintStream stream = new PrintStream(out, true, StandardCharsets.UTF_8);
    CliEnvironment environment =
        new CliEnvironment(
            Map.of(),
            InputStream.nullInputStream(),
            stream,
            stream,
            false,
            false,
            false,
            () -> 80,
            Clock.systemUTC(),
            ZoneOffset.UTC);
    try (Invocation invocation = new Invocation(environment, command.global())) {
      return command.run(invocation);
    }
  }

  @Test
  void printsWhatOneRunCameTo() throws Exception {
    assertThat(simulate("--openb", nodes, pods, "--seed", "7", "--tune", "1")).isEqualTo(0);
    // Two GPUs and tasks for two; at 100 percent the last one has come.
    assertThat(out.toString(StandardCharsets.UTF_8))
        .matches(
            "\\{\"workload\":\"pods\",\"seed\":7,\"policy\":\"rfp\",\"arrived\":3,\"placed\":3,"
                + "\"allocation\":\\{\"100\":100\\},\"fragmentation\":\\{\"100\":0\\},"
                + "\"seconds\":[0-9.]+\\}\n");
  }

  @Test
  void knowsEveryPolicy() throws Exception {
    for (String policy : new String[] {"tightest-fit", "rfp", "fgd", "best-fit", "random"}) {
      out.reset();
      assertThat(simulate("--openb", nodes, pods, "--policy", policy)).isEqualTo(ExitCode.DONE);
      assertThat(out.toString(StandardCharsets.UTF_8)).contains("\"policy\":\"" + policy + "\"");
    }
    assertThatThrownBy(() -> simulate("--openb", nodes, pods, "--policy", "worst"))
        .isInstanceOf(UsageException.class)
        .hasMessage("\"worst\" is not a value of --policy");
  }

  @Test
  void saysWhatIsWrong() throws Exception {
    String broken = file("broken.csv", "name,cpu_milli,memory_mib,num_gpu,gpu_milli\na,1,1,1,0\n");
    assertThatThrownBy(() -> simulate("--openb", nodes, broken))
        .isInstanceOf(UsageException.class)
        .hasMessage(
            broken
                + ", line 2: gpu_milli is \"0\"; it must be 0 without GPU, 1 to 1000 with one, and"
                + " 1000 with several");
    assertThatThrownBy(() -> simulate("--openb", nodes, directory.resolve("none").toString()))
        .isInstanceOf(UsageException.class)
        .hasMessageStartingWith("no file ");
    assertThatThrownBy(() -> simulate("--openb", nodes, pods, "--tune", "-1"))
        .isInstanceOf(UsageException.class)
        .hasMessage("--tune -1.0 is not between 0 and 10");
    assertThatThrownBy(this::simulate)
        .isInstanceOf(UsageException.class)
        .hasMessage("no scenario and no trace was named");
  }
}
