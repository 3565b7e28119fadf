package io.headgate.sdk.cli.command.configuration;

import io.headgate.sdk.cli.command.shared.NamedList;
import io.headgate.sdk.cli.frame.CliCommand;
import io.headgate.sdk.cli.frame.GlobalOptions;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.cli.frame.ListFlags;
import io.headgate.sdk.cli.output.Cell;
import io.headgate.sdk.cli.output.Column;
import io.headgate.sdk.cli.output.Listing;
import io.headgate.sdk.cli.output.Row;
import io.headgate.sdk.config.Vault;
import io.headgate.sdk.wire.RightsMessages;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/// `headgate vaults`.
@Command(
    header = {
      "headgate vaults              images and commands that each group's jobs may use",
      "headgate vaults research     one vault with all its fields",
      ""
    },
    description = {
      "Lists vaults: which images and commands jobs of groups may run, and the environment that"
          + " they get.",
      "Only admins see the values of an environment."
    })
public final class VaultsCommand implements CliCommand {
  @Mixin private final GlobalOptions global = new GlobalOptions();
  @Mixin private final ListFlags list = new ListFlags();

  @Parameters(arity = "0..1", paramLabel = "VAULT", description = "Show only this vault.")
  private @Nullable String name;

  @Override
  public GlobalOptions global() {
    return global;
  }

  @Override
  public int run(Invocation invocation) throws InterruptedException {
    return new NamedList<>(
            "vault",
            LISTING,
            () ->
                invocation.session().catalog().vaults().stream()
                    .map(vault -> Row.of(RightsMessages.vault(vault), "vault", "vaults", vault))
                    .toList())
        .run(invocation, list, name);
  }

  private static final Listing<Vault> LISTING =
      new Listing<>(
          "vaults",
          List.of("vaults"),
          Vault::name,
          List.of(
              Column.of("VAULT", vault -> Cell.of(vault.name())),
              Column.of("GROUPS", vault -> Cell.of(texts(vault.groups(), "all"))),
              Column.<Vault>of("IMAGES", vault -> Cell.of(texts(vault.images(), "any")))
                  .givingWay(),
              Column.<Vault>of("REQUIRES", vault -> Cell.of(requires(vault))).leaving(1),
              Column.<Vault>of("COMMANDS", vault -> Cell.of(texts(vault.commands(), "any")))
                  .leaving(2),
              Column.<Vault>of(
                      "ENVIRONMENT", vault -> Cell.of(texts(vault.environment().keySet(), "")))
                  .leaving(3),
              Column.<Vault>of("DESCRIPTION", vault -> Cell.of(text(vault.description())))
                  .whenWide()
                  .givingWay()));

  private static String texts(Collection<String> texts, String none) {
    return texts.isEmpty() ? none : String.join(", ", texts);
  }

  private static String requires(Vault vault) {
    if (vault.requireDigest()) {
      return vault.requireImage() ? "image, digest" : "digest";
    }
    return vault.requireImage() ? "image" : "";
  }

  private static String text(@Nullable String text) {
    return text == null ? "" : text;
  }
}
