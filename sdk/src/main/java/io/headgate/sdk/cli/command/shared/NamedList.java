package io.headgate.sdk.cli.command.shared;

import io.headgate.sdk.cli.error.ExitCode;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.cli.frame.ListFlags;
import io.headgate.sdk.cli.output.ListOptions;
import io.headgate.sdk.cli.output.Listing;
import io.headgate.sdk.cli.output.Row;
import io.headgate.sdk.cli.output.RowStream;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A command such as `headgate pools`, which lists objects, or shows one when a name is given.
///
/// @param singular name of one object: `pool`
public record NamedList<T>(String singular, Listing<T> listing, Supplier<List<Row<T>>> fetch) {
  private static final Duration POLL = Duration.ofSeconds(2);

  public int run(Invocation invocation, ListFlags flags, @Nullable String name)
      throws InterruptedException {
    ListOptions options = flags.options(invocation);
    if (options.form().columns().equals(List.of("help"))) {
      listing.print(List.of(), "", options, invocation.output());
      return ExitCode.DONE;
    }
    if (flags.watch) {
      return watch(invocation, flags, name);
    }
    if (name != null) {
      listing.printOne(find(invocation, name), invocation.form(), invocation.output());
      return ExitCode.DONE;
    }
    List<Row<T>> rows = fetch.get();
    if (rows.isEmpty()) {
      invocation.session().requireTenant();
    }
    listing.print(listing.select(rows, options), "", options, invocation.output());
    return ExitCode.DONE;
  }

  private Row<T> find(Invocation invocation, String name) {
    List<Row<T>> rows = fetch.get();
    for (Row<T> row : rows) {
      if (listing.name().apply(row.value()).equals(name)) {
        return row;
      }
    }
    if (rows.isEmpty()) {
      invocation.session().requireTenant();
    }
    List<String> names = rows.stream().map(row -> listing.name().apply(row.value())).toList();
    String all = "all " + listing.noun() + ": headgate " + listing.noun();
    throw NameCheck.notFound(singular, name, names, all, invocation.session().tenant());
  }

  /// Polls, because users have no watch of these objects and they change seldom.
  private int watch(Invocation invocation, ListFlags flags, @Nullable String name)
      throws InterruptedException {
    ListOptions options = flags.options(invocation);
    RowStream<T> stream = flags.stream(listing, invocation);
    Map<String, String> seen = new HashMap<>();
    boolean more = true;
    while (more && !invocation.output().isClosed()) {
      List<Row<T>> rows =
          fetch.get().stream()
              .filter(row -> name == null || listing.name().apply(row.value()).equals(name))
              .toList();
      if (stream == null) {
        invocation.output().clearScreen();
        listing.print(listing.select(rows, options), "", options, invocation.output());
      } else {
        more =
            stream.print(
                rows.stream()
                    .filter(row ->
                        !row.jsonLine()
                            .equals(seen.put(listing.name().apply(row.value()), row.jsonLine())))
                    .toList());
      }
      if (more) {
        Thread.sleep(POLL);
      }
    }
    return ExitCode.DONE;
  }
}
