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
import io.headgate.sdk.config.ByteText;
import io.headgate.sdk.config.CpuText;
import io.headgate.sdk.config.DurationText;
import io.headgate.sdk.config.Profile;
import io.headgate.sdk.wire.SupplyMessages;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/// `headgate profiles`.
@Command(
    header = {
      "headgate profiles           all job sizes, and the pools that serve them",
      "headgate profiles half      one profile with all its fields",
      ""
    },
    description = "Lists profiles: job sizes with their pools in routing order.")
public final class ProfilesCommand implements CliCommand {
  @Mixin private final GlobalOptions global = new GlobalOptions();
  @Mixin private final ListFlags list = new ListFlags();

  @Parameters(arity = "0..1", paramLabel = "PROFILE", description = "Show only this profile.")
  private @Nullable String name;

  @Override
  public GlobalOptions global() {
    return global;
  }

  @Override
  public int run(Invocation invocation) throws InterruptedException {
    return new NamedList<>(
            "profile",
            LISTING,
            () ->
                invocation.session().catalog().profiles().stream()
                    .map(profile ->
                        Row.of(SupplyMessages.profile(profile), "profile", "profiles", profile))
                    .toList())
        .run(invocation, list, name);
  }

  private static final Listing<Profile> LISTING =
      new Listing<>(
          "profiles",
          List.of("profiles"),
          Profile::name,
          List.of(
              Column.of("PROFILE", profile -> Cell.of(profile.name())),
              Column.<Profile>of("GPUS", profile -> Cell.of(profile.gpus()))
                  .toRight()
                  .sortedBy(Profile::gpus),
              Column.<Profile>of("WORKERS", profile -> Cell.of(profile.workers()))
                  .toRight()
                  .sortedBy(Profile::workers),
              Column.<Profile>of("CPUS", profile -> Cell.of(cpus(profile)))
                  .toRight()
                  .sortedBy(Profile::cpuMillis),
              Column.<Profile>of("MEMORY", profile -> Cell.of(bytes(profile.memoryBytes())))
                  .toRight()
                  .sortedBy(Profile::memoryBytes),
              Column.<Profile>of("GPU MEMORY", profile -> Cell.of(bytes(profile.gpuMemoryBytes())))
                  .toRight()
                  .sortedBy(Profile::gpuMemoryBytes),
              Column.of("ISOLATION", profile -> Cell.of(isolation(profile))),
              Column.<Profile>of("POOLS", profile -> Cell.of(String.join(", ", profile.pools())))
                  .givingWay(),
              Column.<Profile>of(
                      "HOLD AFTER", profile -> Cell.of(DurationText.format(profile.holdAfter())))
                  .whenWide(),
              Column.<Profile>of("RECLAIM", profile -> Cell.of(profile.reclaim().keyword()))
                  .whenWide(),
              Column.<Profile>of("DESCRIPTION", profile -> Cell.of(text(profile.description())))
                  .whenWide()
                  .givingWay()));

  private static String cpus(Profile profile) {
    return profile.cpuMillis() == 0 ? "" : CpuText.format(profile.cpuMillis());
  }

  private static String bytes(long bytes) {
    return bytes == 0 ? "" : ByteText.format(bytes);
  }

  private static String isolation(Profile profile) {
    return profile.isolation() == null ? "any" : profile.isolation().keyword();
  }

  private static String text(@Nullable String text) {
    return text == null ? "" : text;
  }
}
