package io.headgate.deploy.libraries;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Libraries of a bill of materials are compared with advisories.
class KnownFaultsTest {
  @TempDir private Path directory;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private int run(String... words) {
    return KnownFaults.run(
        List.of(words),
        new PrintStream(out, true, StandardCharsets.UTF_8),
        new PrintStream(err, true, StandardCharsets.UTF_8));
  }

  private String said() {
    return out.toString(StandardCharsets.UTF_8);
  }

  private String bill(String version) throws IOException {
    Path bill = directory.resolve("bom.json");
    Files.writeString(
        bill,
        """
        {"bomFormat": "CycloneDX", "components": [
          {"group": "io.headgate", "name": "headgate-sdk", "version": "1"},
          {"group": "io.netty", "name": "netty-codec-http2", "version": "%s"}]}
        """
            .formatted(version));
    return bill.toString();
  }

  private String advisories(Map<String, String> files) throws IOException {
    Path zip = directory.resolve("all.zip");
    try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(zip))) {
      for (Map.Entry<String, String> file : files.entrySet()) {
        out.putNextEntry(new ZipEntry(file.getKey()));
        out.write(file.getValue().getBytes(StandardCharsets.UTF_8));
      }
    }
    return zip.toString();
  }

  private static String advisory(String name, String affected, String more) {
    return """
    {"id": "GHSA-xpw8", "summary": "Rapid reset"%s, "affected": [
      {"package": {"ecosystem": "Maven", "name": "%s"}, %s}]}
    """
        .formatted(more, name, affected);
  }

  private static String range(String events) {
    return "\"ranges\": [{\"type\": \"ECOSYSTEM\", \"events\": [" + events + "]}]";
  }

  @Test
  void namesAFaultWithTheVersionThatFixesIt() throws IOException {
    String fault =
        advisory(
            "io.netty:netty-codec-http2",
            range("{\"introduced\": \"0\"}, {\"fixed\": \"4.1.100.Final\"}"),
            "");
    String zip = advisories(Map.of("GHSA-xpw8.json", fault));

    assertThat(run(zip, bill("4.1.99.Final"))).isEqualTo(1);
    assertThat(said())
        .isEqualTo(
            """
            io.netty:netty-codec-http2 4.1.99.Final: GHSA-xpw8 Rapid reset; fixed in 4.1.100.Final
            1 libraries, 1 advisories, 1 known faults
            """);
  }

  @Test
  void aFixedAWithdrawnAndAForeignOneAreNoFaults() throws IOException {
    String fixed = range("{\"introduced\": \"4.0\"}, {\"fixed\": \"4.1.100.Final\"}");
    String all = range("{\"introduced\": \"0\"}");
    String zip =
        advisories(
            Map.of(
                "fixed.json", advisory("io.netty:netty-codec-http2", fixed, ""),
                "withdrawn.json",
                    advisory("io.netty:netty-codec-http2", all, ", \"withdrawn\": \"2026-01-01\""),
                "foreign.json", advisory("io.netty:netty-codec-http", all, "")));

    assertThat(run(zip, bill("4.1.100.Final"))).isZero();
    assertThat(said()).isEqualTo("1 libraries, 3 advisories, 0 known faults\n");
  }

  @Test
  void aVersionThatIsNamedOrTheLastAffectedOneHasTheFault() throws IOException {
    String named = advisory("io.netty:netty-codec-http2", "\"versions\": [\"4.2.0\"]", "");
    assertThat(run(advisories(Map.of("a.json", named)), bill("4.2.0"))).isEqualTo(1);
    assertThat(run(advisories(Map.of("a.json", named)), bill("4.2.1"))).isZero();
    String last =
        advisory(
            "io.netty:netty-codec-http2",
            range("{\"introduced\": \"4.2\"}, {\"last_affected\": \"4.2.1\"}"),
            "");
    assertThat(run(advisories(Map.of("a.json", last)), bill("4.2.1"))).isEqualTo(1);
    assertThat(run(advisories(Map.of("a.json", last)), bill("4.2.2"))).isZero();
  }

  @Test
  void eventsInAnyOrderAreTakenInTheOrderOfVersions() throws IOException {
    String events =
        "{\"introduced\": \"3\"}, {\"fixed\": \"4\"}, {\"introduced\": \"1\"}, {\"fixed\": \"2\"}";
    String zip =
        advisories(Map.of("a.json", advisory("io.netty:netty-codec-http2", range(events), "")));
    assertThat(run(zip, bill("3.5"))).isEqualTo(1);
    assertThat(run(zip, bill("2.5"))).isZero();
  }

  @Test
  void filesThatCannotBeComparedAreNotTakenForCleanOnes() throws IOException {
    assertThat(run(advisories(Map.of("readme.txt", "")), bill("4.2.0"))).isEqualTo(2);
    assertThat(err.toString(StandardCharsets.UTF_8)).contains("holds no advisory");
    assertThat(run()).isEqualTo(2);
    Path torn = Files.writeString(directory.resolve("torn.json"), "{\"bomFormat\": ");
    assertThat(run(advisories(Map.of("a.json", "{}")), torn.toString())).isEqualTo(2);
  }

  @ParameterizedTest
  @CsvSource({
    "1.0-alpha1, 1.0-beta1",
    "1.0-rc1, 1.0",
    "1.0-SNAPSHOT, 1.0",
    "1.0, 1.0.1",
    "1.9, 1.10",
    "4.1.99.Final, 4.1.100.Final",
    "1.0, 1.0-sp1",
    "1.0.0-M2, 1.0.0-RC1",
    "33.4.8-jre, 33.5.0-jre"
  })
  void versionsAreOrderedAsMavenOrdersThem(String earlier, String later) {
    assertThat(new LibraryVersion(earlier)).isLessThan(new LibraryVersion(later));
    assertThat(new LibraryVersion(later)).isGreaterThan(new LibraryVersion(earlier));
  }

  @ParameterizedTest
  @CsvSource({"1.0, 1", "1.0.0, 1.0.Final", "1.0-ga, 1.0", "1.0-cr1, 1.0-rc1"})
  void someVersionsAreTheSame(String one, String other) {
    assertThat(new LibraryVersion(one)).isEqualByComparingTo(new LibraryVersion(other));
  }
}
