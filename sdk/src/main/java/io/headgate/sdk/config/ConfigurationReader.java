package io.headgate.sdk.config;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// Reads a configuration file and checks everything that can be known without a server: form, keys,
/// values, names and references. All mistakes are reported at once.
public final class ConfigurationReader {
  private static final List<String> TOP =
      List.of("apiVersion", "kind", "tenant", "groups", "pools", "profiles", "policies");

  private ConfigurationReader() {}

  /// Reads a file.
  ///
  /// @throws ConfigurationException with every mistake in it
  /// @throws IOException when the file cannot be read
  public static ConfigurationFile read(Path file) throws IOException, ConfigurationException {
    if (Files.size(file) > TreeParser.MAX_CHARACTERS) {
      throw single(
          SourceText.of(file.toString(), ""),
          Problem.of("FILE_TOO_LARGE", "the file is larger than 4 MiB", null, ""));
    }
    return read(file.toString(), decoded(file.toString(), Files.readAllBytes(file)));
  }

  /// Reads text that came from somewhere else.
  ///
  /// @param fileName how messages call the text
  /// @throws ConfigurationException with every mistake in it
  public static ConfigurationFile read(String fileName, String text) throws ConfigurationException {
    SourceText source = SourceText.of(fileName, text);
    Tree tree;
    try {
      tree = TreeParser.parse(text);
    } catch (MalformedTextException e) {
      String message = String.valueOf(e.getMessage());
      Problem problem = Problem.of(e.reason(), message, e.span(), "");
      throw single(source, e.span() == null ? problem : problem.note("here"));
    }
    Problems problems = new Problems(fileName);
    SourceMap sourceMap = new SourceMap();
    Fields fields = Fields.root(tree, problems, sourceMap, TOP);
    if (tree instanceof Tree.Mapping) {
      checkHeader(fields);
    }
    Configuration configuration = body(fields);
    List<Problem> found = problems.inFileOrder();
    if (!found.isEmpty()) {
      throw new ConfigurationException(source, found);
    }
    return new ConfigurationFile(configuration, source, sourceMap);
  }

  private static ConfigurationException single(SourceText source, Problem problem) {
    return new ConfigurationException(source, List.of(problem));
  }

  private static String decoded(String fileName, byte[] bytes) throws ConfigurationException {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw single(
          SourceText.of(fileName, ""),
          Problem.of("MALFORMED_YAML", "the file is not UTF-8 text", null, ""));
    }
  }

  private static void checkHeader(Fields fields) {
    expect(fields, "apiVersion", Configuration.API_VERSION);
    expect(fields, "kind", Configuration.KIND);
  }

  private static void expect(Fields fields, String key, String wanted) {
    if (fields.value(key) == null) {
      fields.missing(key, "begin the file with " + key + ": " + wanted);
      return;
    }
    Tree.Scalar scalar = fields.scalar(key);
    if (scalar != null && !scalar.text().equals(wanted)) {
      new Values(fields).bad(scalar, key, "is not supported", "write " + key + ": " + wanted);
    }
  }

  private static Configuration body(Fields root) {
    Sections sections = Sections.of(root);
    String tenant = new Values(root).idOrNull("tenant");
    List<Group> groups = GroupReader.read(root, sections);
    List<Pool> pools = new PoolReader(sections).read(root);
    List<Profile> profiles = new ProfileReader(sections).read(root);
    List<Policy> policies = new PolicyReader(sections, groups, profiles).read(root);
    return new Configuration(tenant, groups, pools, profiles, policies);
  }
}
