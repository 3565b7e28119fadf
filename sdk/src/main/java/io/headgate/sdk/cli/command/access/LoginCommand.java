package io.headgate.sdk.cli.command.access;

import io.headgate.sdk.cli.command.shared.Prompt;
import io.headgate.sdk.cli.context.Context;
import io.headgate.sdk.cli.error.CliFailure;
import io.headgate.sdk.cli.error.ErrorFrame;
import io.headgate.sdk.cli.error.ErrorFrames;
import io.headgate.sdk.cli.error.ExitCode;
import io.headgate.sdk.cli.frame.CliCommand;
import io.headgate.sdk.cli.frame.GlobalOptions;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.cli.output.UsageException;
import io.headgate.sdk.client.HeadgateClient;
import io.headgate.sdk.model.ClientConfig;
import io.headgate.sdk.model.Credentials;
import io.headgate.sdk.model.HeadgateException;
import io.headgate.sdk.model.Identity;
import io.headgate.sdk.model.ServerAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `headgate login`.
@Command(
    header = {
      "headgate login --server https://gate.acme.example:7400     asks for your key",
      "headgate login --server URL --key-stdin < key.txt          in automation",
      ""
    },
    description = "Signs in: checks a key and stores it, with its server, as a context.")
public final class LoginCommand implements CliCommand {
  @Mixin private final GlobalOptions global = new GlobalOptions();

  @Option(names = "--key-stdin", description = "Read the key from standard input.")
  private boolean keyFromInput;

  @Option(
      names = "--name",
      paramLabel = "NAME",
      description = "Name of the context (default: the server's host).")
  private @Nullable String name;

  @Option(
      names = "--ca",
      paramLabel = "FILE",
      description = "PEM file of the authority that signed the server's certificate.")
  private @Nullable Path certificateAuthority;

  @Override
  public GlobalOptions global() {
    return global;
  }

  @Override
  public int run(Invocation invocation) throws IOException {
    String server = server(invocation);
    ServerAddress address = address(server);
    if (!address.encrypted() && !isLocal(address)) {
      invocation
          .output()
          .note("warning: " + address + " is not encrypted; your key is sent in clear text");
    }
    String key = key(invocation, address);
    Identity identity = check(invocation, address, key);
    String context = name != null ? name : global.context != null ? global.context : address.host();
    String tenant = global.tenant;
    invocation
        .contexts()
        .put(
            new Context(
                context,
                address.toString(),
                tenant == null && !identity.tenant().isEmpty() ? identity.tenant() : tenant,
                key,
                certificateAuthority == null
                    ? null
                    : certificateAuthority.toAbsolutePath().toString()));
    invocation.output().line("signed in to %s as %s".formatted(address, identity.subject()));
    invocation
        .output()
        .note(
            "context \"%s\" written to %s and selected"
                .formatted(context, invocation.contexts().file()));
    if (identity.tenant().isEmpty() && tenant == null) {
      invocation
          .output()
          .note("you belong to no tenant; choose one: headgate context set --tenant ID");
    }
    return ExitCode.DONE;
  }

  private String server(Invocation invocation) throws IOException {
    if (global.server != null) {
      return global.server;
    }
    String variable = invocation.environment().variable("HEADGATE_SERVER");
    if (!variable.isEmpty()) {
      return variable;
    }
    Optional<Context> selected = invocation.contexts().load().selected();
    return selected
        .map(Context::server)
        .orElseThrow(() ->
            new UsageException(
                "no server was named, and no context is selected",
                "SERVER_MISSING",
                "name it: headgate login --server https://gate.example:7400"));
  }

  private static ServerAddress address(String server) {
    try {
      return ServerAddress.parse(server);
    } catch (IllegalArgumentException e) {
      throw new UsageException(String.valueOf(e.getMessage()), "BAD_SERVER_ADDRESS");
    }
  }

  private static boolean isLocal(ServerAddress address) {
    return address.host().equals("localhost")
        || address.host().startsWith("127.")
        || address.host().equals("[::1]");
  }

  private String key(Invocation invocation, ServerAddress address) throws IOException {
    String variable = invocation.environment().variable("HEADGATE_KEY");
    if (!variable.isEmpty()) {
      return variable;
    }
    if (keyFromInput) {
      return Prompt.line(invocation.environment().in());
    }
    if (!invocation.mayAsk()) {
      throw new UsageException(
          "a key is needed, and there is no terminal to ask for it",
          "INPUT_NEEDED",
          "pass the key on standard input with --key-stdin, or in HEADGATE_KEY");
    }
    return new Prompt(invocation).askSecret("Key for " + address + ": ");
  }

  private Identity check(Invocation invocation, ServerAddress address, String key) {
    Path authority = certificateAuthority;
    if (authority != null && !Files.isRegularFile(authority)) {
      throw new UsageException(
          "file \"" + authority + "\" does not exist", "FILE_ERROR", "a PEM file: --ca FILE");
    }
    ClientConfig config =
        ClientConfig.of(address, new Credentials.Key(key))
            .withCertificateAuthority(authority)
            .withPatience(invocation.timeout().orElse(Duration.ofSeconds(5)))
            .withUserAgent("headgate-cli");
    try (HeadgateClient client = HeadgateClient.connect(config)) {
      return client.whoAmI();
    } catch (HeadgateException e) {
      if (!e.reason().equals("KEY_REJECTED")) {
        throw new CliFailure(List.of(ErrorFrames.of(e, address.toString())), ExitCode.of(e), null);
      }
      boolean typed = invocation.environment().variable("HEADGATE_KEY").isEmpty();
      ErrorFrame frame =
          ErrorFrames.of(e, address.toString())
              .where("server " + address + (typed ? "" : ", key from HEADGATE_KEY"));
      throw new CliFailure(
          List.of(frame.next(List.of("nothing was stored"))), ExitCode.NOT_SIGNED_IN, null);
    }
  }
}
