package io.headgate.deploy;

import io.headgate.deploy.demo.Demo;
import io.headgate.deploy.node.NodePlan;
import io.headgate.kit.file.Directories;
import io.headgate.kit.lifecycle.Lifecycle;
import io.headgate.sdk.cli.command.configuration.AllowOption;
import io.headgate.sdk.cli.error.ExitCode;
import io.headgate.sdk.cli.frame.CliCommand;
import io.headgate.sdk.cli.frame.GlobalOptions;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.client.HeadgateClient;
import io.headgate.sdk.config.Configuration;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Spec;

/// `headgate up`.
@Command(
    header = {
      "headgate up                               the whole system on this machine; data is kept",
      "headgate up --demo                        the same with simulated GPUs and real jobs",
      "headgate up --nodes local                 with the GPUs of this machine",
      "headgate up --nodes sim:2x8xA100-80GiB    with two simulated machines",
      "headgate up --observe DIR                 with files for Prometheus and Grafana in DIR",
      "headgate up --schedulers 3                with three schedulers, one of which leads",
      ""
    },
    description =
        "Runs PostgreSQL, the three services and agents in one process. Ctrl-C stops all of them:"
            + " running jobs save their work in their abort callback, and resume at the next up.")
public final class UpCommand implements CliCommand {
  /// Set by the launcher when it starts `up` again after its process has died.
  private static final String STARTED_AGAIN = "HEADGATE_UP_AGAIN";

  private static final Duration NODE_PATIENCE = Duration.ofSeconds(30);

  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private final GlobalOptions global = new GlobalOptions();
  @Mixin private final UpFlags flags = new UpFlags();
  @Mixin private final AllowOption allow = new AllowOption();

  @Override
  public GlobalOptions global() {
    return global;
  }

  @Override
  public int run(Invocation invocation) throws Exception {
    flags.check();
    flags.again = !invocation.environment().variable(STARTED_AGAIN).isEmpty();
    UpNodes nodes = new UpNodes(flags.demo, flags.nodes);
    nodes.check();
    UpConfiguration configuration = new UpConfiguration(invocation, flags, allow.words());
    Path directory =
        flags.ephemeral
            ? Files.createTempDirectory("headgate-")
            : DataDirectory.of(flags.data, invocation.environment().variables());
    DataDirectory.create(directory);
    Optional<InstanceLock> lock = InstanceLock.tryTake(directory);
    if (lock.isEmpty()) {
      return RunningUp.show(invocation, directory, given());
    }
    try (InstanceLock held = lock.get()) {
      nodes.requireFree();
      FreePorts.check(flags.ip, flags.port, flags.schedulers);
      return serve(invocation, directory, held, configuration, nodes);
    } finally {
      if (flags.ephemeral) {
        Directories.delete(directory);
      }
    }
  }

  private UpScreen screen(Invocation invocation) {
    return new UpScreen(
        invocation.environment().out(),
        invocation.output().terminal() ? invocation.output().width().getAsInt() : 0,
        flags.observation());
  }

  private int serve(
      Invocation invocation,
      Path directory,
      InstanceLock lock,
      UpConfiguration configuration,
      UpNodes nodes)
      throws Exception {
    UpScreen screen = screen(invocation);
    screen.title(flags.ip, flags.isOpen());
    Lifecycle lifecycle = new Lifecycle(Installation.stopBound());
    if (flags.ephemeral) {
      // Runs also when a signal ends this process, in which case the code below never runs.
      lifecycle.start("directory", () -> {}, () -> Directories.delete(directory));
    }
    lifecycle.start("farewell", () -> {}, screen::stopped);
    lifecycle.stopOnSignal();
    try {
      Installation installation =
          lifecycle.startTogether(
              () -> Installation.start(flags.installation(directory), lifecycle, screen));
      lifecycle.start("announcement", () -> {}, screen::stopping);
      String tenant = configuration.tenant(directory);
      Optional<Configuration> chosen = configuration.putInForce(installation, tenant, nodes);
      if (chosen.isEmpty()) {
        return ExitCode.REFUSED;
      }
      Configuration inForce = chosen.get();
      startAgents(installation, nodes.toAdd(installation, tenant, inForce), tenant, screen);
      ChosenTenant.write(directory, tenant);
      UpContext context =
          UpContext.write(
              invocation.contexts(),
              global.context,
              installation.uri(),
              tenant,
              installation.adminKey().reveal());
      if (flags.ephemeral) {
        lifecycle.start("context", () -> {}, context::remove);
      }
      flags.observe(installation.metricsUris().values(), directory, invocation.output()::note);
      lock.say(screen.ready(installation, directory, context, nodes.remarks(installation)));
      if (!flags.demo) {
        screen.next(inForce);
      } else if (!flags.again) {
        List<String> wrong = tell(installation, directory, invocation);
        if (!wrong.isEmpty()) {
          screen.failed(wrong);
          return ExitCode.REFUSED;
        }
        if (flags.once) {
          return ExitCode.DONE;
        }
        screen.goesOn();
      }
      lifecycle.awaitStopped();
      return ExitCode.DONE;
    } catch (IllegalStateException e) {
      if (lifecycle.isStopping()) {
        // Ctrl-C during the start.
        return ExitCode.INTERRUPTED;
      }
      throw e;
    } finally {
      lifecycle.close();
    }
  }

  private static void startAgents(
      Installation installation, List<NodePlan> plans, String tenant, UpScreen screen)
      throws IOException, InterruptedException {
    screen.begin("agents");
    for (NodePlan plan : plans) {
      installation.changeNode(tenant, plan);
    }
    installation.startKnownNodes();
    for (NodePlan plan : plans) {
      installation.addNode(tenant, plan);
    }
    int connected = installation.awaitAgents(NODE_PATIENCE);
    screen.agentsReady(connected, installation.agents().size(), installation.simulatesGpus());
  }

  private static List<String> tell(Installation installation, Path directory, Invocation invocation)
      throws IOException, InterruptedException {
    try (HeadgateClient operator = installation.connectAsOperator();
        TemporaryUser ada = TemporaryUser.enter(installation, operator, Demo.TENANT, "ada");
        TemporaryUser alan = TemporaryUser.enter(installation, operator, Demo.TENANT, "alan")) {
      return new Demo(
              operator,
              ada.client(),
              alan.client(),
              directory.resolve("demo"),
              invocation.environment().out()::println)
          .play();
    }
  }

  /// The given flags of `up` itself, except `--data`.
  private List<String> given() {
    return spec.commandLine().getParseResult().matchedOptions().stream()
        .filter(option ->
            option.userObject() instanceof Field field
                && field.getDeclaringClass() == UpFlags.class)
        .map(OptionSpec::longestName)
        .filter(name -> !name.equals("--data"))
        .toList();
  }
}
