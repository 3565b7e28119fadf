package io.headgate.deploy.e2e;

import static org.awaitility.Awaitility.await;

import io.headgate.policy.PolicyServiceMain;
import io.headgate.pool.PoolServiceMain;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// Makes a service process stand still at a failpoint, where a test can kill it or other processes.
/// A file of the failpoint's name arms the failpoint. The process renames the file when it gets
/// there, and goes on when the test deletes it. Until then it passes no other failpoint either.
final class Standstill {
  private static final String PROPERTY = "headgate.standstill";
  private static final long LOOK_MILLIS = 20;

  private final Path directory;

  /// Where the process stands.
  private final AtomicReference<@Nullable Path> standing = new AtomicReference<>();

  /// @param directory of the files, which exists
  Standstill(Path directory) {
    this.directory = directory;
  }

  /// policy-service with failpoints.
  static final class PolicyService {
    private PolicyService() {}

    public static void main(String[] arguments) throws InterruptedException {
      PolicyServiceMain.main(arguments, ofThisProcess()::pass);
    }
  }

  /// pool-service with failpoints.
  static final class PoolService {
    private PoolService() {}

    public static void main(String[] arguments) throws InterruptedException {
      PoolServiceMain.main(arguments, ofThisProcess()::pass);
    }
  }

  private static Standstill ofThisProcess() {
    return new Standstill(Path.of(System.getProperty(PROPERTY)));
  }

  /// Variables of a process that these files concern.
  Map<String, String> variables() {
    return Map.of("JAVA_TOOL_OPTIONS", "-D" + PROPERTY + "=" + directory);
  }

  private void pass(Enum<?> point) {
    try {
      Path reached = reached(point);
      if (takes(point, reached)) {
        standing.set(reached);
      }
      Path place = standing.get();
      CountDownLatch never = new CountDownLatch(1);
      while (place != null && Files.exists(place)) {
        boolean counted = never.await(LOOK_MILLIS, TimeUnit.MILLISECONDS);
        assert !counted;
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean takes(Enum<?> point, Path reached) throws IOException {
    try {
      Files.move(armed(point), reached);
      return true;
    } catch (NoSuchFileException e) {
      return false;
    }
  }

  void arm(Enum<?> point) throws IOException {
    Files.createFile(armed(point));
  }

  void awaitReached(Enum<?> point) {
    await().atMost(Schedulers.PATIENCE).until(() -> Files.exists(reached(point)));
  }

  /// Lets the process go on, or forgets one that was killed there.
  void release(Enum<?> point) throws IOException {
    Files.delete(reached(point));
  }

  private Path armed(Enum<?> point) {
    return directory.resolve(point.name());
  }

  private Path reached(Enum<?> point) {
    return directory.resolve(point.name() + ".reached");
  }
}
