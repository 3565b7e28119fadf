package io.headgate.scheduler;

import java.io.IOException;
import java.util.List;
import java.util.stream.LongStream;

/// Keeps clients and servers on separate processors, as if on separate machines.
///
/// Otherwise a crowd of clients would take the server's processors, and the figure would show how
/// the kernel shares them.
final class LoadProcessors implements AutoCloseable {
  private static final int ALL = Runtime.getRuntime().availableProcessors();

  private final List<Long> servers;

  private LoadProcessors(List<Long> servers) {
    this.servers = servers;
  }

  /// Lets `servers` with all their children have the first half, and this process the others, until
  /// closed.
  ///
  /// @throws IllegalStateException where there is one processor, or no `taskset`
  static LoadProcessors apart(long... servers) {
    if (ALL < 2) {
      throw new IllegalStateException("two processors are needed to keep client and server apart");
    }
    List<Long> all =
        LongStream.of(servers)
            .boxed()
            .flatMap(pid -> ProcessStat.ofTree(pid).stream())
            .map(ProcessStat::pid)
            .toList();
    all.forEach(pid -> keep(pid, 0, ALL / 2 - 1));
    keep(ProcessHandle.current().pid(), ALL / 2, ALL - 1);
    return new LoadProcessors(all);
  }

  @Override
  public void close() {
    keep(ProcessHandle.current().pid(), 0, ALL - 1);
    servers.stream()
        .filter(pid -> ProcessStat.of(pid).isPresent())
        .forEach(pid -> keep(pid, 0, ALL - 1));
  }

  private static void keep(long pid, int first, int last) {
    try {
      Process process =
          new ProcessBuilder("taskset", "-a", "-c", "-p", first + "-" + last, Long.toString(pid))
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      if (process.waitFor() != 0) {
        throw new IllegalStateException("taskset (util-linux) refused process " + pid);
      }
    } catch (IOException e) {
      throw new IllegalStateException("taskset (util-linux) is needed", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }
}
