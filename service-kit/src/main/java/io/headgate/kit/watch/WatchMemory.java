package io.headgate.kit.watch;

import io.headgate.kit.config.ByteSize;
import io.headgate.kit.config.Default;
import io.headgate.kit.config.Setting;
import io.headgate.kit.grpc.FairBound;
import java.util.Map;

/// Limits on bytes that were made for watchers and that their clients have not taken yet. A watcher
/// without room waits. If it waits longer than the watchers' patience, it is cut off and may
/// resume.
public record WatchMemory(
    @Setting(
            meaning =
                "Bytes of a message that a watcher is sent at once. A single larger "
                    + "item goes alone.",
            bound = "4KiB to 1MiB")
        @Default("128KiB")
        ByteSize page,
    @Setting(
            meaning = "Bytes in flight to the watchers of one connection.",
            bound = "at least a page")
        @Default("16MiB")
        ByteSize perConnection,
    @Setting(meaning = "Bytes in flight to the watchers of one caller.", bound = "at least a page")
        @Default("4MiB")
        ByteSize perCaller,
    @Setting(meaning = "Bytes in flight to the watchers of one tenant.", bound = "at least a page")
        @Default("16MiB")
        ByteSize perTenant,
    @Setting(meaning = "Bytes in flight to all watchers.", bound = "at least a page")
        @Default("64MiB")
        ByteSize total) {
  private static final ByteSize SMALLEST = new ByteSize(4 << 10);
  private static final ByteSize LARGEST = ByteSize.ofMebibytes(1);

  public static final WatchMemory DEFAULTS =
      new WatchMemory(
          new ByteSize(128 << 10),
          ByteSize.ofMebibytes(16),
          ByteSize.ofMebibytes(4),
          ByteSize.ofMebibytes(16),
          ByteSize.ofMebibytes(64));

  public WatchMemory {
    if (page.bytes() < SMALLEST.bytes() || page.bytes() > LARGEST.bytes()) {
      throw new IllegalArgumentException(
          "page: %s to %s, not %s".formatted(SMALLEST, LARGEST, page));
    }
    Map.of(
            "per-connection", perConnection,
            "per-caller", perCaller,
            "per-tenant", perTenant,
            "total", total)
        .forEach((key, size) -> {
          if (size.bytes() < page.bytes()) {
            throw new IllegalArgumentException(
                "%s: at least a page (%s), not %s".formatted(key, page, size));
          }
        });
  }

  FairBound bound() {
    return new FairBound(
        new FairBound.Limits(
            total.bytes(), perTenant.bytes(), perCaller.bytes(), perConnection.bytes()));
  }
}
