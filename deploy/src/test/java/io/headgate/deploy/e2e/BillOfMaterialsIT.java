package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// The bill of materials that the build writes (CycloneDX) names each library of the product with
/// the checksum of its file. Maven leaves the goal out of builds without a network (`-o`).
class BillOfMaterialsIT {
  private static final Pattern HASH =
      Pattern.compile("\"alg\"\\s*:\\s*\"SHA-256\",\\s*\"content\"\\s*:\\s*\"([0-9a-f]{64})\"");

  @Test
  void namesEveryLibraryOfTheLockByItsChecksum() throws IOException {
    Path bill = Path.of("target/bom.json");
    assumeThat(Files.exists(bill)).as("%s; a build with -o writes none", bill).isTrue();
    List<String> locked;
    try (Stream<String> lines = Files.lines(Path.of("dependencies.lock"))) {
      locked = lines.map(line -> line.substring(0, 64)).toList();
    }
    List<String> billed =
        HASH.matcher(Files.readString(bill)).results().map(match -> match.group(1)).toList();

    assertThat(billed).containsAll(locked);
  }
}
