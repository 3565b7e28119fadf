package io.headgate.sdk.config;

import io.headgate.sdk.config.YamlTreeParser.Bounds;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/// Reads a configuration file and checks everything that needs no server: form, keys, values, names
/// and references. All mistakes are reported at once.
public final class ConfigurationReader {

  private ConfigurationReader() {}

  /// Reads a file.
  ///
  /// @throws ConfigurationException with every mistake in it
  /// @throws IOException when the file cannot be read
  public static ConfigurationFile read(Path file) throws IOException, ConfigurationException {
    return read(ParsedDocument.read(file, Bounds.CONFIGURATION));
  }

  /// Reads text that came from elsewhere.
  ///
  /// @param fileName the text's name in messages
  /// @throws ConfigurationException with every mistake in it
  public static ConfigurationFile read(String fileName, String text) throws ConfigurationException {
    return read(ParsedDocument.parse(fileName, text, Bounds.CONFIGURATION));
  }

  private static ConfigurationFile read(ParsedDocument document) throws ConfigurationException {
    Configuration configuration =
        document.isOfKind(Configuration.PLATFORM_KIND)
            ? platform(
                document.fields(
                    "a platform file", Configuration.PLATFORM_KIND, PlatformKeys.TOP.names()))
            : body(
                document.fields(
                    "a configuration", Configuration.KIND, ConfigurationKeys.TOP.names()),
                false);
    document.checkClean();
    return new ConfigurationFile(configuration, document.source(), document.sourceMap());
  }

  private static Configuration platform(MappingReader root) {
    SectionNames sections = SectionNames.of(root, false);
    List<Pool> pools = new PoolReader(sections).read(root);
    return new Configuration(
        Configuration.PLATFORM,
        List.of(),
        pools,
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        Visibility.OWN,
        new TenantPartReader(sections).read(root),
        null);
  }

  /// Reads the sections of a configuration.
  ///
  /// @param isScenario whether groups may be left out (policies then need not name one), and
  ///   tenants may share the pools
  static Configuration body(MappingReader root, boolean isScenario) {
    SectionNames sections = SectionNames.of(root, isScenario);
    ValueReader values = new ValueReader(root);
    String tenant = values.idOrNull("tenant");
    Visibility visibility = values.keyword(ConfigurationKeys.VISIBILITY);
    List<Group> groups = GroupReader.read(root, sections);
    List<Pool> pools = new PoolReader(sections).read(root);
    List<Profile> profiles = new ProfileReader(sections).read(root);
    List<Department> departments = new DepartmentReader(sections).read(root);
    List<Policy> policies = new PolicyReader(sections, groups, profiles, departments).read(root);
    List<Vault> vaults = VaultReader.read(root, sections);
    List<Tenant> tenants = TenantReader.read(root, sections);
    return new Configuration(
        tenant,
        groups,
        pools,
        profiles,
        departments,
        policies,
        vaults,
        tenants,
        visibility,
        List.of(),
        BudgetReader.read(root),
        root.has("admins") ? values.ids("admins") : null);
  }
}
