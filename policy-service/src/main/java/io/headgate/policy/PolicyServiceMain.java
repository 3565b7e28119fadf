package io.headgate.policy;

import io.headgate.kit.config.Secret;
import io.headgate.kit.config.Setting;
import io.headgate.kit.db.EncryptionKeyCommands;
import io.headgate.kit.file.SecretFile;
import io.headgate.kit.grpc.ApiServer;
import io.headgate.kit.grpc.ApiServerConfig;
import io.headgate.kit.lifecycle.CannotStartException;
import io.headgate.kit.lifecycle.Lifecycle;
import io.headgate.kit.process.ServiceProcess;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.telemetry.TelemetryConfig;
import io.headgate.kit.time.TimeSource;
import io.headgate.policy.runtime.ChangeFailpoint;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/// Runs policy-service as its own process: `[CONFIG_FILE] [COMMAND]`. Without a command it serves
/// until SIGTERM or SIGINT.
public final class PolicyServiceMain {
  private static final String USAGE =
      """
      usage: policy-service [CONFIG_FILE] [COMMAND]
             policy-service --settings

      Serves identities and rights: tenants, principals, keys, tokens, groups, policies and queues.
      Settings come from the YAML file and from variables, which win:
      HEADGATE_POLICY_DATABASE_URL is policy.database.url. Without a command it serves.
      Commands, for the operator of this machine:
        --reset-admin-key        replace all keys of operators/root by a new one
        --create-key OWNER       make a key, for example for services/scheduler
        --replace-signing-keys   make all tokens void and sign with a new key
        --prepare-encryption-key put a new key-encryption key into the file, to be copied first
        --rotate-encryption-key  put a new key-encryption key into force while the service runs
        --replace-encryption-key give up what a lost key-encryption key sealed

      Exit status: 0 stopped or done, 1 not started or not done, 2 wrong arguments or configuration.
      """;

  static final ServiceProcess<Config> PROCESS = process(ChangeFailpoint.Handler.NONE);

  private PolicyServiceMain() {}

  /// The configuration of the process.
  record Config(
      @Setting(meaning = "Address and limits of the API.") ApiServerConfig api,
      @Setting(meaning = "Receivers of metrics, traces and logs.") TelemetryConfig telemetry,
      @Setting(meaning = "Rights and identity.") PolicyServiceConfig policy,
      @Setting(
              meaning = "File for the first admin key, readable by its owner only.",
              absent = "the key is printed once, on standard error")
          Optional<Path> adminKeyFile) {}

  public static void main(String[] arguments) throws InterruptedException {
    PROCESS.main(arguments);
  }

  /// With failpoints, for tests.
  public static void main(String[] arguments, ChangeFailpoint.Handler failpoints)
      throws InterruptedException {
    process(failpoints).main(arguments);
  }

  private static ServiceProcess<Config> process(ChangeFailpoint.Handler failpoints) {
    return EncryptionKeyCommands.addTo(
        new ServiceProcess<>(
                Config.class,
                USAGE,
                (config, lifecycle, terminal) -> start(config, lifecycle, terminal, failpoints))
            .command("--reset-admin-key", 0, PolicyServiceMain::resetAdminKey)
            .command("--create-key", 1, PolicyServiceMain::createKey)
            .command("--replace-signing-keys", 0, PolicyServiceMain::replaceSigningKeys),
        PolicyServiceMain::encryptionKey);
  }

  private static void start(
      Config config,
      Lifecycle lifecycle,
      PrintStream terminal,
      ChangeFailpoint.Handler failpoints) {
    String version = ServiceProcess.version(PolicyServiceMain.class);
    Telemetry telemetry =
        lifecycle.own("telemetry", Telemetry.start(config.telemetry(), "headgate-policy", version));
    PolicyService service =
        lifecycle.own(
            "policy",
            new PolicyService(config.policy(), telemetry, TimeSource.system(), failpoints));
    service.ensureAdminKey(recipient(config, terminal));
    ApiServer.Builder api =
        ApiServer.builder(config.api(), telemetry).authentication(service.verifier());
    service.register(api);
    ApiServer server = api.build();
    lifecycle.start("policy loops", service::start, () -> {});
    lifecycle.start("api", server::start, server::close);
    server.health().set("", true);
  }

  private static void resetAdminKey(Config config, List<String> none, PrintStream terminal) {
    try (PolicyService service = open(config)) {
      service.resetAdminKey(recipient(config, terminal));
    }
  }

  private static void createKey(Config config, List<String> owner, PrintStream terminal) {
    try (PolicyService service = open(config)) {
      Secret key = service.createKey(owner.getFirst(), "made on the server");
      terminal.println("key of " + owner.getFirst() + ", shown only now:");
      terminal.println(key.reveal());
    } catch (IllegalArgumentException e) {
      throw new CannotStartException(String.valueOf(e.getMessage()), e);
    }
  }

  private static void replaceSigningKeys(Config config, List<String> none, PrintStream terminal) {
    try (PolicyService service = open(config)) {
      service.replaceSigningKeys();
      terminal.println("all tokens are void; a new key signs new ones");
    }
  }

  private static EncryptionKeyCommands encryptionKey(Config config) {
    return PolicyService.encryptionKey(
        config.policy().database(), config.policy().secretsDirectory());
  }

  private static PolicyService open(Config config) {
    return new PolicyService(config.policy(), Telemetry.disabled(), TimeSource.system());
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
