package io.headgate.policy;

import io.headgate.kit.config.ConfigException;
import io.headgate.kit.config.ConfigLoader;
import io.headgate.kit.config.Secret;
import io.headgate.kit.grpc.ApiServer;
import io.headgate.kit.grpc.ApiServerConfig;
import io.headgate.kit.lifecycle.Lifecycle;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.telemetry.TelemetryConfig;
import io.headgate.kit.time.TimeSource;
import io.headgate.policy.store.SecretFile;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/// Runs policy-service as a process of its own: `CONFIG_FILE [COMMAND]`. Without a command it
/// serves until it is stopped.
public final class PolicyServiceMain {
  private static final Duration STOP_BOUND = Duration.ofSeconds(30);
  private static final String USAGE =
      """
      usage: CONFIG_FILE [COMMAND]
        --reset-admin-key        replace all keys of operators/root by a new one
        --create-key OWNER       make a key, for example for services/scheduler
        --replace-signing-keys   make all tokens void and sign with a new key
      """;

  private PolicyServiceMain() {}

  /// What the process is configured by.
  ///
  /// @param adminKeyFile where the first admin key is written, readable by its owner only; absent:
  ///   it is shown once, on standard error
  record Config(
      ApiServerConfig api,
      TelemetryConfig telemetry,
      PolicyServiceConfig policy,
      Optional<Path> adminKeyFile) {}

  public static void main(String[] arguments) throws InterruptedException {
    PrintStream terminal =
        new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8);
    List<String> words = List.of(arguments);
    if (words.isEmpty() || words.size() > 3) {
      terminal.print(USAGE);
      System.exit(2);
    }
    try {
      Config config =
          ConfigLoader.load(Config.class, Optional.of(Path.of(words.getFirst())), System.getenv());
      if (words.size() == 1) {
        serve(config, terminal);
      } else if (!command(config, words.subList(1, words.size()), terminal)) {
        terminal.print(USAGE);
        System.exit(2);
      }
    } catch (ConfigException e) {
      terminal.println(e.getMessage());
      System.exit(2);
    }
  }

  private static void serve(Config config, PrintStream terminal) throws InterruptedException {
    Lifecycle lifecycle = new Lifecycle(STOP_BOUND);
    lifecycle.stopOnSignal();
    String version =
        Optional.ofNullable(PolicyServiceMain.class.getPackage().getImplementationVersion())
            .orElse("development");
    Telemetry telemetry =
        lifecycle.own("telemetry", Telemetry.start(config.telemetry(), "headgate-policy", version));
    PolicyService service =
        lifecycle.own("policy", new PolicyService(config.policy(), telemetry, TimeSource.system()));
    service.ensureAdminKey(recipient(config, terminal));
    ApiServer.Builder api =
        ApiServer.builder(config.api(), telemetry).authentication(service.verifier());
    service.register(api);
    ApiServer server = api.build();
    lifecycle.start("policy loops", service::start, () -> {});
    lifecycle.start("api", server::start, server::close);
    server.health().set("", true);
    lifecycle.awaitStopped();
  }

  /// Does what an operator of the machine asks for; whether the command is one.
  private static boolean command(Config config, List<String> words, PrintStream terminal) {
    try (PolicyService service =
        new PolicyService(config.policy(), Telemetry.disabled(), TimeSource.system())) {
      String name = words.getFirst();
      if (words.size() == 1 && name.equals("--reset-admin-key")) {
        service.resetAdminKey(recipient(config, terminal));
        return true;
      }
      if (words.size() == 1 && name.equals("--replace-signing-keys")) {
        service.replaceSigningKeys();
        terminal.println("all tokens are void; a new key signs");
        return true;
      }
      if (words.size() == 2 && name.equals("--create-key")) {
        String owner = words.getLast();
        Secret key = service.createKey(owner, "made on the machine");
        terminal.println("key of " + owner + ", shown only now:");
        terminal.println(key.reveal());
        return true;
      }
      return false;
    }
  }

  private static Consumer<Secret> recipient(Config config, PrintStream terminal) {
    return key -> {
      if (config.adminKeyFile().isPresent()) {
        SecretFile file = new SecretFile(config.adminKeyFile().get());
        file.write(key.reveal());
        terminal.println("admin key of operators/root written to " + file.path());
      } else {
        terminal.println("admin key of operators/root, shown only now:");
        terminal.println(key.reveal());
      }
    };
  }
}
