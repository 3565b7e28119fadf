package io.headgate.scheduler.runtime.leadership;

import io.headgate.kit.position.WatchPosition;
import io.headgate.scheduler.grpc.JobVaults;
import io.headgate.scheduler.runtime.catalog.Access;
import io.headgate.scheduler.runtime.catalog.CatalogUpdate;
import io.headgate.scheduler.runtime.catalog.VaultRules;
import io.headgate.scheduler.runtime.catalog.VaultRules.Vault;
import io.headgate.scheduler.runtime.record.Batch;
import io.headgate.scheduler.runtime.record.Document;
import io.headgate.type.CommandPattern;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The rights of the tenant, as policy-service has them: only what vaults say ever moves. Every
/// version but the first, which has none, gives jobs its own number, so that it can be seen by
/// which of them one was handed over.
final class SimulatedVaults {
  static final String VARIABLE = "VAULTS";

  private final List<CatalogUpdate.OfAccess> versions = new ArrayList<>();
  private final List<Watcher> watchers = new ArrayList<>();

  private record Watcher(World.Life life, Runnable moved) {}

  /// @param access without vaults
  SimulatedVaults(Access access) {
    versions.add(update(access));
  }

  private CatalogUpdate.OfAccess update(Access access) {
    return new CatalogUpdate.OfAccess(
        new Batch.CatalogChange(
            new WatchPosition("life", versions.size()), true, List.of(), List.of()),
        List.of(access),
        List.of());
  }

  /// @param commands that jobs of one group may run; empty: all of them
  void move(String group, List<String> commands) {
    Access first = versions.getFirst().accesses().getFirst();
    Vault number =
        new Vault(
            "number",
            Set.of(),
            Optional.empty(),
            false,
            false,
            Optional.empty(),
            Map.of(VARIABLE, "" + versions.size()),
            List.of());
    Vault rules =
        new Vault(
            "rules",
            Set.of(group),
            Optional.empty(),
            false,
            false,
            commands.isEmpty()
                ? Optional.empty()
                : Optional.of(commands.stream().map(CommandPattern::parse).toList()),
            Map.of(),
            List.of());
    versions.add(
        update(
            new Access(
                first.tenant(),
                first.version() + versions.size(),
                first.groups(),
                first.policies(),
                first.queues(),
                VaultRules.byGroup(
                    List.of(number, rules), first.groups().stream().map(Access.Group::id).toList()),
                Access.Roles.UNKNOWN)));
    watchers.removeIf(watcher -> watcher.life().isOver());
    watchers.forEach(watcher -> watcher.moved().run());
  }

  /// @param moved called for as long as it lives
  void onMove(World.Life life, Runnable moved) {
    watchers.add(new Watcher(life, moved));
  }

  CatalogUpdate.OfAccess at(WatchPosition position) {
    return versions.get((int) position.version());
  }

  CatalogUpdate.OfAccess latest() {
    return versions.getLast();
  }

  long version() {
    return versions.size() - 1L;
  }

  /// Whether the version's vaults of the group do not let it run.
  boolean forbid(long version, String group, Document document) {
    return versions
        .get((int) version)
        .accesses()
        .getFirst()
        .vaults()
        .getOrDefault(group, VaultRules.NONE)
        .violation(JobVaults.asked(document))
        .isPresent();
  }
}
