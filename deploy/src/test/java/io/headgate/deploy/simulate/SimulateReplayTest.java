package io.headgate.deploy.simulate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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

class SimulateReplayTest {
  @TempDir private Path directory;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private String nodes = "";
  private String pods = "";
  private String jobs = "";

  @BeforeEach
  void writeTraces() throws Exception {
    nodes = file("nodes.csv", "sn,cpu_milli,memory_mib,gpu,model\nn0,64000,262144,2,P100\n");
    pods =
        file(
            "pods.csv",
            """
            name,cpu_milli,memory_mib,num_gpu,gpu_milli,qos,creation_time,deletion_time
            a,1000,1024,2,1000,BE,86400,86500
            b,1000,1024,1,500,LS,86410,86420
            """);
    jobs =
        file(
            "jobs.csv",
            """
            timestamp,duration,num_gpus,gpu_time,cluster
            2017-10-09 07:02:05,10.0,1,10.0,x
            2017-10-09 07:01:55,100.0,16,1600.0,y
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
  void replaysPodsByTime() throws Exception {
    assertThat(
            simulate("--replay-openb", nodes, pods, "--gpus", "2", "--from-day", "1")
                + out.toString(StandardCharsets.UTF_8))
        .startsWith(
            "0{\"replay\":\"openb\",\"fromDay\":1,\"gpus\":2,"
                + "\"preemptWithin\":\"lower-priority\",\"checkpoint\":\"3600s\","
                + "\"holdAfter\":\"600s\",\"policy\":\"tightest-fit\",\"finished\":2,\"neverFit\":0,"
                + "\"leftOut\":0,")
        // b takes from a at 10 s, starts when a has stopped at 40 s; a goes on at 50 s.
        .contains("\"waitSeconds\":{\"all\":{\"jobs\":2,\"mean\":20,\"p50\":10,\"p99\":30}")
        .contains("\"preemptions\":{\"P9\":1},\"gpuSeconds\":{\"used\":285,\"lost\":\"20\"}");
  }

  @Test
  void replaysJobsOfTenantsByTime() throws Exception {
    assertThat(
            simulate(
                    "--replay-philly",
                    jobs,
                    "--gpus",
                    "16",
                    "--hold-after",
                    "never",
                    "--policy",
                    "best-fit")
                + out.toString(StandardCharsets.UTF_8))
        .startsWith(
            "0{\"replay\":\"philly\",\"gpus\":16,\"tenants\":11,\"checkpoint\":\"3600s\","
                + "\"holdAfter\":\"never\",\"policy\":\"best-fit\",\"finished\":2,")
        .contains("\"loadedSeconds\":10,")
        .contains("\"checked\":{\"starts\":");
  }

  private void refuses(String message, String... arguments) {
    assertThatThrownBy(() -> simulate(arguments))
        .isInstanceOf(UsageException.class)
        .hasMessage(message);
    assertThat(out.size()).isZero();
  }

  @Test
  void saysWhatIsWrong() throws Exception {
    String broken = file("broken.csv", "timestamp,duration,num_gpus,cluster\nnow,1,1,x\n");
    refuses(
        broken + ", line 2: timestamp is \"now\"; it must be a time such as 2017-10-09 07:01:55",
        "--replay-philly",
        broken);
    refuses(
        pods + ", no nodes found with 3 GPUs together; 2 of them are",
        "--replay-openb",
        nodes,
        pods,
        "--gpus",
        "3");
    refuses("--gpus 0 is not between 1 and 1000000", "--replay-philly", jobs, "--gpus", "0");
    refuses("\"worst\" is not a value of --policy", "--replay-philly", jobs, "--policy", "worst");
    refuses(
        "\"always\" is not a value of --preempt-within",
        "--replay-openb",
        nodes,
        pods,
        "--preempt-within",
        "always");
    refuses(
        "--from-day and --replay-philly cannot be combined",
        "--replay-philly",
        jobs,
        "--from-day",
        "1");
    refuses(
        "--openb and a replay cannot be combined", "--openb", nodes, pods, "--replay-philly", jobs);
    refuses("flags of traces are given, but no trace", "scenario.yaml", "--gpus", "3");
    refuses(
        "a trace cannot be combined with a scenario or its flags",
        "--replay-philly",
        jobs,
        "--until",
        "3s");
  }
}
