package io.headgate.sdk.config;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.composer.Composer;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.parser.ParserImpl;
import org.snakeyaml.engine.v2.scanner.StreamReader;

/// Text to [YamlTree]. JSON needs no parser of its own: it is a subset of YAML 1.2.
///
/// Hostile input is bounded: characters, nesting, and nodes (an alias repeats its anchor's nodes,
/// so a few lines could otherwise stand for billions).
final class YamlTreeParser {
  private static final int MAX_DEPTH = 32;

  /// Longest word. The library's time for a word grows with the square of its length: 20 MB take 20
  /// seconds.
  private static final int MAX_WORD = 1 << 16;

  static final String TOO_DEEP = "nested deeper than " + MAX_DEPTH + " levels";

  private final Bounds bounds;
  private int nodes;

  private YamlTreeParser(Bounds bounds) {
    this.bounds = bounds;
  }

  /// How much a file may hold.
  enum Bounds {
    /// A file that a person writes.
    CONFIGURATION(4 << 20, 200_000),
    /// A file that a program may write for a large installation.
    SCENARIO(64 << 20, 5_000_000);

    final int characters;
    final int nodes;

    Bounds(int characters, int nodes) {
      this.characters = characters;
      this.nodes = nodes;
    }

    String tooLarge() {
      return "the file is larger than " + (characters >> 20) + " MiB";
    }
  }

  /// @throws MalformedTextException when it is no YAML, or more than one document
  static YamlTree parse(String text, Bounds bounds) throws MalformedTextException {
    return new YamlTreeParser(bounds).convert(compose(text, bounds), 0);
  }

  /// The document's nodes, which know where they stand.
  ///
  /// @throws MalformedTextException when it is no YAML, or more than one document
  static Node compose(String text, Bounds bounds) throws MalformedTextException {
    if (text.length() > bounds.characters) {
      throw new MalformedTextException(bounds.tooLarge(), "FILE_TOO_LARGE", null);
    }
    refuseLongWords(text);
    LoadSettings settings =
        LoadSettings.builder()
            .setCodePointLimit(bounds.characters)
            .setMaxAliasesForCollections(1000)
            .build();
    try {
      StreamReader reader = new StreamReader(settings, withoutByteOrderMark(text));
      Iterator<Node> documents =
          new Composer(
              settings, new DepthLimitedParser(new ParserImpl(settings, reader), MAX_DEPTH + 1));
      if (!documents.hasNext()) {
        throw new MalformedTextException("the file is empty", "MALFORMED_YAML", null);
      }
      Node root = documents.next();
      if (documents.hasNext()) {
        Span second = start(documents.next());
        throw new MalformedTextException(
            "a second document begins here; a file holds one", "MALFORMED_YAML", second);
      }
      return root;
    } catch (MarkedYamlEngineException e) {
      Span span = e.getProblemMark().map(mark -> at(mark, 1)).orElse(null);
      throw new MalformedTextException(explain(e), "MALFORMED_YAML", span);
    } catch (YamlEngineException e) {
      throw new MalformedTextException(
          String.valueOf(e.getMessage()).lines().findFirst().orElse(""), "MALFORMED_YAML", null);
    }
  }

  /// Refuses what the scanner would read as one piece: characters without a space, a quote or a
  /// line end between them, and lines of comment. Inside brackets, commas and brackets end a word,
  /// too.
  private static void refuseLongWords(String text) throws MalformedTextException {
    int line = 1;
    int lineStart = 0;
    int wordStart = 0;
    int open = 0;
    boolean blank = true; // The line so far.
    boolean comment = false;
    for (int i = 0; i < text.length(); i++) {
      char each = text.charAt(i);
      if (each == '\n') {
        line++;
        lineStart = i + 1;
        wordStart = i + 1;
        blank = true;
        comment = false;
        continue;
      }
      comment |= blank && each == '#';
      blank &= each == ' ' || each == '\t';
      open =
          Math.max(
              0, open + (each == '[' || each == '{' ? 1 : each == ']' || each == '}' ? -1 : 0));
      String ends = open > 0 ? " \t\r\"'\\[]{},:" : " \t\r\"'\\]}";
      if (!comment && ends.indexOf(each) >= 0) {
        wordStart = i + 1;
      } else if (i - wordStart >= MAX_WORD) {
        throw new MalformedTextException(
            "a word of more than " + MAX_WORD + " characters",
            "VALUE_TOO_LONG",
            new Span(line, wordStart - lineStart + 1, 1));
      }
    }
  }

  private static String withoutByteOrderMark(String text) {
    return text.startsWith("\uFEFF") ? text.substring(1) : text;
  }

  private static String explain(MarkedYamlEngineException e) {
    String problem = String.valueOf(e.getProblem());
    if (problem.contains("'\\t(TAB)'")) {
      return "a tab is used for indentation; YAML wants spaces";
    }
    if (problem.contains("expected <block end>")) {
      return "the indentation does not fit the lines above";
    }
    String context = e.getContext();
    return context == null || context.isBlank() ? problem : problem + " " + context;
  }

  private YamlTree convert(Node node, int depth) throws MalformedTextException {
    Span span = start(node);
    if (depth > MAX_DEPTH) {
      throw new MalformedTextException(TOO_DEEP, "MALFORMED_YAML", span);
    }
    if (++nodes > bounds.nodes) {
      throw new MalformedTextException(
          "more than " + bounds.nodes + " values", "FILE_TOO_LARGE", span);
    }
    return switch (node) {
      case ScalarNode scalar -> new YamlTree.Scalar(span, scalar.getValue(), scalar.isPlain());
      case SequenceNode sequence -> {
        List<YamlTree> items = new ArrayList<>();
        for (Node item : sequence.getValue()) {
          items.add(convert(item, depth + 1));
        }
        yield new YamlTree.Sequence(span, items);
      }
      case MappingNode mapping -> {
        List<YamlTree.Entry> entries = new ArrayList<>();
        for (NodeTuple tuple : mapping.getValue()) {
          entries.add(entry(tuple, depth + 1));
        }
        yield new YamlTree.Mapping(span, entries);
      }
      default ->
          throw new MalformedTextException(
              "this kind of YAML node is not supported", "MALFORMED_YAML", span);
    };
  }

  private YamlTree.Entry entry(NodeTuple tuple, int depth) throws MalformedTextException {
    Span span = start(tuple.getKeyNode());
    if (!(tuple.getKeyNode() instanceof ScalarNode key)) {
      throw new MalformedTextException("a key must be a plain word", "MALFORMED_YAML", span);
    }
    return new YamlTree.Entry(key.getValue(), span, convert(tuple.getValueNode(), depth));
  }

  private static Span start(Node node) {
    Optional<Mark> start = node.getStartMark();
    Optional<Mark> end = node.getEndMark();
    if (start.isEmpty()) {
      return new Span(1, 1, 1);
    }
    int length = 1;
    if (node instanceof ScalarNode
        && end.isPresent()
        && end.get().getLine() == start.get().getLine()) {
      length = Math.max(1, end.get().getColumn() - start.get().getColumn());
    }
    return at(start.get(), length);
  }

  private static Span at(Mark mark, int length) {
    return new Span(mark.getLine() + 1, mark.getColumn() + 1, length);
  }
}
