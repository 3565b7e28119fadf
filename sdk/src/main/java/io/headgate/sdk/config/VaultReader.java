package io.headgate.sdk.config;

import io.headgate.type.CommandPattern;
import io.headgate.type.ImagePattern;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Consumer;

/// Reads the `vaults` section.
final class VaultReader {

  private VaultReader() {}

  static List<Vault> read(MappingReader root, SectionNames sections) {
    List<Vault> vaults = new ArrayList<>();
    for (MappingReader fields : root.items("vaults", ConfigurationKeys.VAULTS.names())) {
      ValueReader values = new ValueReader(fields);
      String name = values.id("name", "give the vault a name");
      sections.vaults().claim(fields, name);
      vaults.add(
          new Vault(
              name,
              values.references("groups", sections.groups()),
              patterns(fields, ConfigurationKeys.VAULT_IMAGES, ImagePattern::parse),
              values.flag(ConfigurationKeys.REQUIRE_IMAGE),
              values.flag(ConfigurationKeys.REQUIRE_DIGEST),
              patterns(fields, ConfigurationKeys.VAULT_COMMANDS, CommandPattern::parse),
              new TreeMap<>(fields.texts("environment")),
              values.flag(ConfigurationKeys.ENVIRONMENT_HIDDEN),
              values.textOrNull(FileKey.DESCRIPTION)));
    }
    return vaults;
  }

  private static List<String> patterns(
      MappingReader fields, FileKey.TextListKey key, Consumer<String> parse) {
    List<String> texts = new ValueReader(fields).texts(key);
    for (MappingReader.Element element : fields.elements(key.name())) {
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
