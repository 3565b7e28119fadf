package io.headgate.sdk.config;

import io.headgate.type.CommandPattern;
import io.headgate.type.ImagePattern;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Consumer;

/// Reads the `vaults` section.
final class VaultReader {
  private static final List<String> KEYS =
      List.of(
          "name",
          "groups",
          "images",
          "requireImage",
          "requireDigest",
          "commands",
          "environment",
          "environmentHidden",
          "description");
  private static final int MAX_PATTERN = 512;

  private VaultReader() {}

  static List<Vault> read(MappingReader root, SectionNames sections) {
    List<Vault> vaults = new ArrayList<>();
    for (MappingReader fields : root.items("vaults", KEYS)) {
      ValueReader values = new ValueReader(fields);
      String name = values.id("name", "give the vault a name");
      sections.vaults().claim(fields, name);
      vaults.add(
          new Vault(
              name,
              values.references("groups", sections.groups()),
              patterns(fields, "images", 128, ImagePattern::parse),
              values.flag("requireImage", false),
              values.flag("requireDigest", false),
              patterns(fields, "commands", 64, CommandPattern::parse),
              new TreeMap<>(fields.texts("environment")),
              values.flag("environmentHidden", false),
              values.textOrNull("description", 1000)));
    }
    return vaults;
  }

  private static List<String> patterns(
      MappingReader fields, String key, int most, Consumer<String> parse) {
    List<String> texts = new ValueReader(fields).texts(key, most, MAX_PATTERN);
    for (MappingReader.Element element : fields.elements(key)) {
      try {
        parse.accept(element.scalar().text());
      } catch (IllegalArgumentException e) {
        if (fields.problems().clean(element.field())) {
          fields
              .problems()
              .add(
                  Problem.of(
                          "BAD_VALUE",
                          String.valueOf(e.getMessage()),
                          element.scalar().span(),
                          element.field())
                      .value(element.scalar().text())
                      .note("not a pattern"));
        }
      }
    }
    return texts;
  }
}
