package io.headgate.deploy.demo;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.SplittableRandom;

/// The files of the demo's jobs: the training program and the data set that it reads.
///
/// @param program the training program
/// @param dataSet rows `x,y` of a noisy straight line
record DemoFiles(Path program, Path dataSet) {
  private static final int ROWS = 2_000;
  private static final long SEED = 7;

  /// Writes the files into a directory, always with equal content.
  static DemoFiles writeTo(Path directory) throws IOException {
    Files.createDirectories(directory);
    Path program = directory.resolve("train.py");
    try (InputStream source =
        Objects.requireNonNull(DemoFiles.class.getResourceAsStream("train.py"))) {
      Files.copy(source, program, StandardCopyOption.REPLACE_EXISTING);
    }
    Path dataSet = directory.resolve("line.csv");
    Files.writeString(dataSet, noisyLine());
    // Each job runs as another user, which must read the files.
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
    for (Path file : List.of(program, dataSet)) {
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    }
    return new DemoFiles(program.toAbsolutePath(), dataSet.toAbsolutePath());
  }

  private static String noisyLine() {
    SplittableRandom random = new SplittableRandom(SEED);
    StringBuilder rows = new StringBuilder();
    for (int i = 0; i < ROWS; i++) {
      double x = random.nextDouble(-1, 1);
      double y = 3 * x + 2 + random.nextDouble(-0.1, 0.1);
      rows.append(String.format(Locale.ROOT, "%.5f,%.5f%n", x, y));
    }
    return rows.toString();
  }
}
