package io.headgate.sdk.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.sdk.config.FileUpdate.Updated;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/// A file that a person wrote is brought to the configuration in force.
class FileUpdateTest {
  private static final String FILE =
      """
      # Acme's cluster. Ask ada before you change it.
      apiVersion: headgate/v1
      kind: Configuration
      tenant: acme

      policies:             # people first
        # The team that pays for the machines.
        - name: ai-dev
          group: ai-dev
          reservation: 4    # until the new racks are here
          limit: 10
          weight: 1         # as all others
          queues:
            - {name: ai-dev-half, profile: half}   # the default
            - {profile: eight, name: ai-dev-eight, rank: 2}

        # Goes away at the end of the year.
        - name: guests
          group: research
          limit: 8
          queues:
            - name: guests-half
              profile: half

      profiles:
        - {name: half, gpus: 1/2, memory: "16GiB", pools: [onprem]}
        - name: eight
          gpus: 8
          pools:
            - onprem   # first
            - cloud    # costs money

      groups:
        - {name: research, users: [alan]}
        - name: ai-dev
          users:
            - grace
            - ada      # leads

      pools:
        - {name: onprem, type: static}
        - name: cloud
          description: >
            rented by the hour,
            in another city
      """;

  private static Configuration read(String text) throws ConfigurationException {
    return ConfigurationReader.read("acme.yaml", text).configuration();
  }

  private static Updated update(String text, Configuration content) throws ConfigurationException {
    return FileUpdate.of("acme.yaml", text, content).orElseThrow();
  }

  /// The file, brought to the configuration of the file with these replacements.
  private static String brought(String... replacements) throws ConfigurationException {
    String other = FILE;
    for (int i = 0; i < replacements.length; i += 2) {
      assertThat(other).contains(replacements[i]);
      other = other.replace(replacements[i], replacements[i + 1]);
    }
    String form = ConfigurationWriter.write(read(other));
    Updated updated = update(FILE, read(form));
    assertThat(update(updated.text(), read(form))).isEqualTo(new Updated(updated.text(), 0));
    return updated.text();
  }

  @Test
  void aFileThatSaysTheSameStaysAsItIs() throws Exception {
    String form = ConfigurationWriter.write(read(FILE));
    assertThat(form).isNotEqualTo(FILE);
    assertThat(update(FILE, read(form))).isEqualTo(new Updated(FILE, 0));
    assertThat(update(form, read(FILE))).isEqualTo(new Updated(form, 0));
  }

  @Test
  void aChangedValueLeavesTheRestOfItsLine() throws Exception {
    for (List<String> change :
        List.of(
            List.of("reservation: 4 ", "reservation: 6 "),
            List.of("rank: 2", "rank: 3"),
            List.of("weight: 1 ", "weight: 3 "),
            List.of("\"16GiB\"", "32GiB"),
            List.of("users: [alan]", "users: [alan, edsger]"))) {
      assertThat(brought(change.getFirst(), change.getLast()))
          .isEqualTo(FILE.replace(change.getFirst(), change.getLast()));
    }
  }

  @Test
  void aPartThatIsGoneGoesWithItsComment() throws Exception {
    int guests = FILE.indexOf("\n  # Goes away");
    for (String gone :
        List.of(
            FILE.substring(guests, FILE.indexOf("\nprofiles:")),
            "      - {profile: eight, name: ai-dev-eight, rank: 2}\n",
            "      - cloud    # costs money\n",
            "    reservation: 4    # until the new racks are here\n")) {
      assertThat(brought(gone, "")).isEqualTo(FILE.replace(gone, ""));
    }
  }

  @Test
  void aNewPartStandsBesideItsLikes() throws Exception {
    assertThat(
            brought(
                "        profile: half\n\nprofiles:",
                "        profile: half\n  - name: night\n    group: research\n    limit: 2\n\nprofiles:"))
        .isEqualTo(
            FILE.replace(
                "        profile: half\n\nprofiles:",
                "        profile: half\n  - name: night\n    group: research\n    limit: 2\n\nprofiles:"));
    assertThat(brought("    limit: 10\n", "    limit: 10\n    perUserLimit: 2\n"))
        .contains("    limit: 10\n    perUserLimit: 2\n    weight: 1         # as all others\n");
    String vault = "\nvaults:\n  - name: approved\n    images: [\"docker.io/pytorch/*\"]\n";
    assertThat(brought("    in another city\n", "    in another city\n" + vault))
        .contains("profile: half\n" + vault + "\nprofiles:");
  }

  @Test
  void adminsAreStatedOnlyWhereTheFileStatesThem() throws Exception {
    Configuration governed = read(FILE).withAdmins(List.of("ada", "grace"));
    assertThat(update(FILE, governed)).isEqualTo(new Updated(FILE, 0));
    String stated = FILE.replace("tenant: acme\n", "tenant: acme\nadmins: [grace]   # for now\n");
    assertThat(update(stated, governed).text())
        .isEqualTo(stated.replace("admins: [grace]", "admins: [ada, grace]"));
  }

  @Test
  void theOrderThatCountsIsTheOneInForce() throws Exception {
    assertThat(
            brought(
                "      - onprem   # first\n      - cloud    # costs money\n",
                "      - cloud\n      - onprem\n"))
        .contains("      - cloud    # costs money\n      - onprem   # first\n");
  }

  @Test
  void aFileThatCannotBeEditedIsLeftAlone() throws Exception {
    Configuration other = read(FILE.replace("limit: 8", "limit: 9"));
    assertThat(
            FileUpdate.of(
                "acme.json", "{apiVersion: headgate/v1, kind: Configuration, tenant: acme}", other))
        .isEmpty();
    String anchored =
        FILE.replace("pools: [onprem]", "pools: &here [onprem]")
            .replace("    - onprem   # first\n      - cloud    # costs money\n", "")
            .replace("    pools:\n  ", "    pools: *here\n");
    assertThat(FileUpdate.of("acme.yaml", anchored, other)).isEmpty();
  }

  /// One of a file's lines is left out, or its numbers change, and so on, many times over.
  @Test
  void anyTwoConfigurationsMeet() throws Exception {
    long seed = System.nanoTime();
    SplittableRandom random = new SplittableRandom(seed);
    int met = 0;
    for (int round = 0; round < 2000; round++) {
      Supplier<String> of = () -> "seed " + seed;
      String one = varied(FILE, random);
      String other = varied(FILE, random);
      if (isValid(one) && isValid(other)) {
        met++;
        Configuration wanted = read(ConfigurationWriter.write(read(other)));
        Updated updated = update(one, wanted);
        assertThat(YamlPlaces.areSame(form(read(updated.text())), form(wanted))).as(of).isTrue();
        assertThat(update(updated.text(), wanted)).as(of).isEqualTo(new Updated(updated.text(), 0));
        assertThat(updated.text().lines().findFirst()).as(of).isEqualTo(one.lines().findFirst());
      }
    }
    assertThat(met).as("seed " + seed).isGreaterThan(100);
  }

  private static org.snakeyaml.engine.v2.nodes.Node form(Configuration configuration)
      throws MalformedTextException {
    return YamlPlaces.of(ConfigurationWriter.write(configuration)).root();
  }

  private static boolean isValid(String text) {
    try {
      read(text);
      return true;
    } catch (ConfigurationException e) {
      return false;
    }
  }

  private static String varied(String text, SplittableRandom random) {
    List<String> lines = new ArrayList<>(text.lines().toList());
    for (int i = random.nextInt(4); i > 0; i--) {
      int at = 4 + random.nextInt(lines.size() - 4);
      String line = lines.get(at);
      switch (random.nextInt(5)) {
        case 0 -> lines.remove(at);
        case 1 -> lines.set(at, line.replaceFirst(": \\d+", ": " + (2 + random.nextInt(9))));
        case 2 -> lines.set(at, line.replaceFirst("name: [a-z]", "name: x"));
        case 3 -> lines.add(at, "");
        default -> lines.set(at, line + "   # note " + random.nextInt(10));
      }
    }
    return String.join("\n", lines) + "\n";
  }
}
