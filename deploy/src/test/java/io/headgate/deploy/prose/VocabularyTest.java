package io.headgate.deploy.prose;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// Types are called by words that a newcomer knows or finds in the glossary.
///
/// The noun of a type is the last word of its name: `AttemptLedger` is a ledger.
class VocabularyTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Pattern WORD = Pattern.compile("[A-Z]+(?![a-z])|[A-Z][a-z0-9]*");
  private static final Pattern PUBLIC_TYPE =
      Pattern.compile(
          "(?m)^public (?:(?:abstract|final|sealed|non-sealed|static) )*"
              + "(?:class|record|enum|interface|@interface) ");
  private static final Pattern TERM = Pattern.compile("(?m)^\\| \\*\\*([^*]+)\\*\\* \\|");
  private static final List<String> MODULES =
      List.of(
          "proto",
          "service-kit",
          "pool-service",
          "policy-service",
          "scheduler-service",
          "node-agent",
          "sdk",
          "deploy");

  @Test
  void theNounOfEveryPublicTypeIsInTheGlossaryOrPlain() throws IOException {
    Set<String> known = new HashSet<>(glossary());
    known.addAll(Files.readAllLines(Path.of("src/test/resources/prose/plain-nouns.txt")));
    Set<String> unknown = new TreeSet<>();
    for (String module : MODULES) {
      for (Path type : types(module)) {
        String noun = noun(name(type));
        if (PUBLIC_TYPE.matcher(Files.readString(type)).find() && !isKnown(noun, known)) {
          unknown.add("%s: \"%s\"".formatted(ROOT.relativize(type), noun));
        }
      }
    }
    assertThat(unknown)
        .as(
            "choose a noun of docs/glossary.md, add the word there,"
                + " or add a plain noun to prose/plain-nouns.txt")
        .isEmpty();
  }

  @Test
  void noTwoTypesOfAModuleHaveOneName() throws IOException {
    List<Path> kit = types("service-kit");
    List<String> clashes = new ArrayList<>();
    for (String module : MODULES) {
      Map<String, List<Path>> byName = new TreeMap<>();
      for (Path type : types(module)) {
        byName.computeIfAbsent(name(type), _ -> new ArrayList<>()).add(ROOT.relativize(type));
      }
      if (!module.equals("service-kit") && !module.equals("sdk")) {
        for (Path type : kit) {
          byName.computeIfPresent(
              name(type),
              (_, types) -> {
                types.add(ROOT.relativize(type));
                return types;
              });
        }
      }
      byName.values().stream()
          .filter(types -> types.size() > 1)
          .forEach(types -> clashes.add(types.toString()));
    }
    assertThat(clashes).as("a reader of a module meets both types of one name").isEmpty();
  }

  @Test
  void nounsAreTheLastWordsOfNames() {
    assertThat(noun("AttemptLedger")).isEqualTo("ledger");
    assertThat(noun("TenantID")).isEqualTo("id");
    assertThat(isKnown("policies", Set.of("policy"))).isTrue();
    assertThat(isKnown("rota", Set.of("lane"))).isFalse();
  }

  private static boolean isKnown(String noun, Set<String> known) {
    return known.contains(noun)
        || known.contains(noun.replaceFirst("s$", ""))
        || known.contains(noun.replaceFirst("es$", ""))
        || known.contains(noun.replaceFirst("ies$", "y"));
  }

  private static String noun(String name) {
    List<String> words = WORD.matcher(name).results().map(MatchResult::group).toList();
    return words.getLast().toLowerCase(Locale.ROOT);
  }

  /// Each word of each term, since `waiting job` explains `job`.
  private static Set<String> glossary() throws IOException {
    Set<String> words = new HashSet<>();
    TERM.matcher(Files.readString(ROOT.resolve("docs/glossary.md")))
        .results()
        .flatMap(term -> Stream.of(term.group(1).toLowerCase(Locale.ROOT).split("[ ,-]+")))
        .forEach(words::add);
    return words;
  }

  private static String name(Path type) {
    return type.getFileName().toString().replace(".java", "");
  }

  private static List<Path> types(String module) throws IOException {
    Path sources = ROOT.resolve(module).resolve("src/main/java");
    try (Stream<Path> files = Files.walk(sources)) {
      return files
          .filter(file -> file.toString().endsWith(".java"))
          .filter(file -> !name(file).endsWith("-info"))
          .sorted()
          .toList();
    }
  }
}
