package io.headgate.sdk.config;

import io.headgate.sdk.config.YamlTreeParser.Bounds;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/// The text and tree of one file, with the mistakes found in it.
record ParsedDocument(SourceText source, YamlTree tree, Problems problems, SourceMap sourceMap) {
  /// The description of each kind of file, and the command that reads it.
  private static final Map<String, List<String>> KINDS =
      Map.of(
          Configuration.PLATFORM_KIND,
          List.of("a platform file", "headgate plan "),
          Configuration.KIND,
          List.of("a configuration", "headgate plan "),
          ScenarioFile.KIND,
          List.of("a simulation scenario", "headgate simulate "),
          JobFile.KIND,
          List.of("a job", "headgate submit -f "));

  /// @throws ConfigurationException when it is too large, no UTF-8, or no YAML or JSON
  /// @throws IOException when the file cannot be read
  static ParsedDocument read(Path file, Bounds bounds) throws IOException, ConfigurationException {
    String name = file.toString();
    if (Files.isDirectory(file)) {
      throw new IOException("\"" + file + "\" is a directory, not a file");
    }
    if (Files.size(file) > bounds.characters) {
      throw single(
          SourceText.of(name, ""), Problem.of("FILE_TOO_LARGE", bounds.tooLarge(), null, ""));
    }
    return parse(name, decoded(name, Files.readAllBytes(file)), bounds);
  }

  /// @throws ConfigurationException when it is too large, or no YAML or JSON
  static ParsedDocument parse(String fileName, String text, Bounds bounds)
      throws ConfigurationException {
    SourceText source = SourceText.of(fileName, text);
    try {
      YamlTree tree = YamlTreeParser.parse(text, bounds);
      return new ParsedDocument(source, tree, new Problems(fileName), new SourceMap());
    } catch (MalformedTextException e) {
      String message = String.valueOf(e.getMessage());
      Problem problem = Problem.of(e.reason(), message, e.span(), "");
      throw single(source, e.span() == null ? problem : problem.note("here"));
    }
  }

  /// The top of the file, with its header checked.
  ///
  /// @param what the kind of file, for messages: `a configuration`
  /// @throws ConfigurationException when the file is of another kind; other keys are then not
  ///   checked
  MappingReader fields(String what, String kind, List<String> keys) throws ConfigurationException {
    if (tree instanceof YamlTree.Mapping mapping) {
      requireKind(mapping, what, kind);
    }
    MappingReader fields = MappingReader.root(tree, problems, sourceMap, what, keys);
    if (tree instanceof YamlTree.Mapping) {
      expect(fields, "apiVersion", Configuration.API_VERSION);
      expect(fields, "kind", kind);
    }
    return fields;
  }

  /// Whether the file says that it is of this kind.
  boolean isOfKind(String kind) {
    return tree instanceof YamlTree.Mapping mapping
        && mapping.entries().stream()
            .anyMatch(entry ->
                entry.key().equals("kind")
                    && entry.value() instanceof YamlTree.Scalar scalar
                    && scalar.text().equals(kind));
  }

  private void requireKind(YamlTree.Mapping mapping, String what, String wanted)
      throws ConfigurationException {
    for (YamlTree.Entry entry : mapping.entries()) {
      if (entry.key().equals("kind")
          && entry.value() instanceof YamlTree.Scalar kind
          && !kind.text().equals(wanted)
          && KINDS.containsKey(kind.text())) {
        List<String> other = KINDS.get(kind.text());
        throw single(
            source,
            Problem.of(
                    "WRONG_KIND",
                    "this is " + other.getFirst() + ", not " + what,
                    kind.span(),
                    "kind")
                .value(kind.text())
                .next(other.getLast() + source.fileName()));
      }
    }
  }

  /// @throws ConfigurationException with every mistake that was found
  void checkClean() throws ConfigurationException {
    List<Problem> found = problems.inFileOrder();
    if (!found.isEmpty()) {
      throw new ConfigurationException(source, found);
    }
  }

  private static void expect(MappingReader fields, String key, String wanted) {
    if (fields.value(key) == null) {
      fields.missing(key, "begin the file with " + key + ": " + wanted);
      return;
    }
    YamlTree.Scalar scalar = fields.scalar(key);
    if (scalar != null && !scalar.text().equals(wanted)) {
      new ValueReader(fields).bad(scalar, key, "is not supported", "write " + key + ": " + wanted);
    }
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
}
