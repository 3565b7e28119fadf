package io.headgate.sdk.cli.command.configuration;

import io.headgate.proto.scheduler.v1.QueueUsage;
import io.headgate.sdk.cli.command.shared.NamedList;
import io.headgate.sdk.cli.frame.CliCommand;
import io.headgate.sdk.cli.frame.GlobalOptions;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.cli.frame.ListFlags;
import io.headgate.sdk.cli.frame.Session;
import io.headgate.sdk.cli.output.Cell;
import io.headgate.sdk.cli.output.Column;
import io.headgate.sdk.cli.output.Listing;
import io.headgate.sdk.cli.output.Row;
import io.headgate.sdk.cli.output.RowMessage;
import io.headgate.sdk.config.ByteText;
import io.headgate.sdk.config.CpuText;
import io.headgate.sdk.config.DurationText;
import io.headgate.sdk.config.Profile;
import io.headgate.sdk.wire.SupplyMessages;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/// `headgate profiles`.
@Command(
    header = {
      "headgate profiles           all job sizes, their jobs, and the pools that serve them",
      "headgate profiles half      one profile with all its fields",
      ""
    },
    description =
        "Lists profiles: job sizes with their jobs that run and wait, and their pools in routing"
            + " order. A member's jobs are those of the queues that it may use.")
public final class ProfilesCommand implements CliCommand {
  @Mixin private final GlobalOptions global = new GlobalOptions();
  @Mixin private final ListFlags list = new ListFlags();

  @Parameters(arity = "0..1", paramLabel = "PROFILE", description = "Show only this profile.")
  private @Nullable String name;

  @Override
  public GlobalOptions global() {
    return global;
  }

  /// @param running jobs that have slices, of the queues that the caller sees
  private record UsedProfile(Profile profile, long running, long waiting) {}

  @Override
  public int run(Invocation invocation) throws InterruptedException {
    return new NamedList<>("profile", LISTING, () -> rows(invocation.session()))
        .run(invocation, list, name);
  }

  private static List<Row<UsedProfile>> rows(Session session) {
    Map<String, QueueUsage> usages = new HashMap<>();
    for (QueueUsage queue : session.catalog().queueUsages()) {
      usages.merge(queue.getProfile(), ofProfile(queue), ProfilesCommand::sum);
    }
    return session.catalog().profiles().stream().map(profile -> row(profile, usages)).toList();
  }

  private static QueueUsage ofProfile(QueueUsage queue) {
    return QueueUsage.newBuilder()
        .setProfile(queue.getProfile())
        .setRunningJobs(queue.getRunningJobs())
        .setWaitingJobs(queue.getWaitingJobs())
        .build();
  }

  private static QueueUsage sum(QueueUsage one, QueueUsage other) {
    return one.toBuilder()
        .setRunningJobs(one.getRunningJobs() + other.getRunningJobs())
        .setWaitingJobs(one.getWaitingJobs() + other.getWaitingJobs())
        .build();
  }

  private static Row<UsedProfile> row(
      io.headgate.proto.pool.v1.Profile message, Map<String, QueueUsage> usages) {
    Profile profile = SupplyMessages.profile(message);
    QueueUsage usage =
        usages.getOrDefault(
            profile.name(), QueueUsage.newBuilder().setProfile(profile.name()).build());
    return new Row<>(
        new UsedProfile(profile, usage.getRunningJobs(), usage.getWaitingJobs()),
        List.of(
            new RowMessage("profile", "profiles", message),
            new RowMessage("usage", "usages", usage)));
  }

  private static final Listing<UsedProfile> LISTING =
      new Listing<>(
          "profiles",
          List.of("profiles", "usages"),
          row -> row.profile().name(),
          List.of(
              Column.of("PROFILE", row -> Cell.of(row.profile().name())),
              Column.<UsedProfile>of("GPUS", row -> Cell.of(row.profile().gpus()))
                  .toRight()
                  .sortedBy(row -> row.profile().gpus()),
              Column.<UsedProfile>of("WORKERS", row -> Cell.of(row.profile().workers()))
                  .toRight()
                  .sortedBy(row -> row.profile().workers()),
              Column.<UsedProfile>of("CPUS", row -> Cell.of(cpus(row.profile())))
                  .leaving(4)
                  .toRight()
                  .sortedBy(row -> row.profile().cpuMillis()),
              Column.<UsedProfile>of("MEMORY", row -> Cell.of(bytes(row.profile().memoryBytes())))
                  .leaving(3)
                  .toRight()
                  .sortedBy(row -> row.profile().memoryBytes()),
              Column.<UsedProfile>of(
                      "GPU MEMORY", row -> Cell.of(bytes(row.profile().gpuMemoryBytes())))
                  .leaving(2)
                  .toRight()
                  .sortedBy(row -> row.profile().gpuMemoryBytes()),
              Column.<UsedProfile>of("ISOLATION", row -> Cell.of(isolation(row.profile())))
                  .leaving(1),
              Column.<UsedProfile>of("RUNNING", row -> Cell.of(row.running()))
                  .toRight()
                  .sortedBy(UsedProfile::running),
              Column.<UsedProfile>of("WAITING", row -> Cell.of(row.waiting()))
                  .toRight()
                  .sortedBy(UsedProfile::waiting),
              Column.<UsedProfile>of(
                      "POOLS", row -> Cell.of(String.join(", ", row.profile().pools())))
                  .givingWay(),
              Column.<UsedProfile>of(
                      "HOLD AFTER", row -> Cell.of(DurationText.format(row.profile().holdAfter())))
                  .whenWide(),
              Column.<UsedProfile>of("RECLAIM", row -> Cell.of(row.profile().reclaim().keyword()))
                  .whenWide(),
              Column.<UsedProfile>of(
                      "DESCRIPTION", row -> Cell.of(text(row.profile().description())))
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
