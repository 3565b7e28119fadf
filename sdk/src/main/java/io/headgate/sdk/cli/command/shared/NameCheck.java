package io.headgate.sdk.cli.command.shared;

import io.headgate.proto.scheduler.v1.NodeUsage;
import io.headgate.proto.scheduler.v1.PoolUsage;
import io.headgate.sdk.cli.error.CliFailure;
import io.headgate.sdk.cli.error.ErrorFrame;
import io.headgate.sdk.cli.error.ExitCode;
import io.headgate.sdk.cli.frame.Session;
import io.headgate.sdk.wire.ResourceNames;
import io.headgate.type.NearestName;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/// Checks that names in filters exist. Without the check, a mistyped queue would look like a queue
/// without jobs.
public enum NameCheck {
  QUEUE("all queues: headgate queues") {
    @Override
    List<String> known(Session session) {
      return ids(session.catalog().queues(), queue -> queue.getName());
    }
  },
  POLICY("all policies: headgate policies") {
    @Override
    List<String> known(Session session) {
      return ids(session.catalog().policies(), policy -> policy.getName());
    }
  },
  POOL("all pools: headgate pools") {
    @Override
    List<String> known(Session session) {
      return ids(session.catalog().poolUsages(), PoolUsage::getPool);
    }
  },
  NODE("all nodes: headgate nodes") {
    @Override
    List<String> known(Session session) {
      return ids(session.catalog().nodeUsages(), NodeUsage::getNode);
    }
  },
  USER("users and service accounts are named in groups: headgate export") {
    @Override
    List<String> known(Session session) {
      return ids(session.identity().people(session.tenant()), name -> name);
    }
  };

  private final String where;

  NameCheck(String where) {
    this.where = where;
  }

  abstract List<String> known(Session session);

  /// Checks only names that nothing found has, because other names exist or existed.
  ///
  /// @param named names that the user gave
  public <T> void require(
      Session session, List<String> named, Collection<T> found, Function<T, String> name) {
    Set<String> used = found.stream().map(name).collect(Collectors.toSet());
    List<String> unused = named.stream().filter(each -> !used.contains(each)).toList();
    if (unused.isEmpty()) {
      return;
    }
    List<String> known = known(session);
    unused.stream()
        .filter(each -> !known.contains(each))
        .findFirst()
        .ifPresent(unknown -> {
          throw notFound(name().toLowerCase(Locale.ROOT), unknown, known, where, session.tenant());
        });
  }

  /// `pool "onprme" does not exist in tenant acme`, with the nearest name that exists.
  public static CliFailure notFound(
      String kind, String name, List<String> known, String where, String tenant) {
    ErrorFrame frame =
        ErrorFrame.usage(
            "%s \"%s\" does not exist in tenant %s".formatted(kind, name, tenant),
            kind.toUpperCase(Locale.ROOT).replace(' ', '_') + "_NOT_FOUND",
            List.of(
                NearestName.find(name, known)
                    .map(nearest -> "did you mean " + nearest + "?   " + where)
                    .orElse(where)));
    return new CliFailure(List.of(frame), ExitCode.REFUSED, null);
  }

  /// A shared pool is called `platform/h100`.
  private static String id(String name) {
    return name.startsWith("tenants/") ? ResourceNames.id(name) : name;
  }

  private static <T> List<String> ids(List<T> items, Function<T, String> name) {
    return items.stream().map(name).map(NameCheck::id).toList();
  }
}
