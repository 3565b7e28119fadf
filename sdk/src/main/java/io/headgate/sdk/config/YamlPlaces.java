package io.headgate.sdk.config;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.common.FlowStyle;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.nodes.CollectionNode;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/// A YAML text, line by line, with the places of its nodes. Lines count from 0.
///
/// @param lines without their line ends
record YamlPlaces(List<String> lines, Node root) {
  YamlPlaces {
    lines = List.copyOf(lines);
  }

  /// @throws MalformedTextException when it is no YAML, or more than one document
  static YamlPlaces of(String text) throws MalformedTextException {
    return new YamlPlaces(
        text.lines().toList(), YamlTreeParser.compose(text, YamlTreeParser.Bounds.CONFIGURATION));
  }

  /// The entries of a mapping by their keys, in the order of the text.
  static Map<String, NodeTuple> entries(Node mapping) {
    Map<String, NodeTuple> entries = new LinkedHashMap<>();
    if (mapping instanceof MappingNode node) {
      for (NodeTuple tuple : node.getValue()) {
        if (tuple.getKeyNode() instanceof ScalarNode key) {
          entries.put(key.getValue(), tuple);
        }
      }
    }
    return entries;
  }

  /// The items of a list by the names that they state, in the order of the text. Null: not all have
  /// one of their own.
  static @Nullable Map<String, Node> named(Node list) {
    Map<String, Node> named = new LinkedHashMap<>();
    for (Node item : items(list)) {
      Map<String, NodeTuple> entries = entries(item);
      NodeTuple name = entries.getOrDefault("name", entries.get("pool"));
      if (name == null
          || !(name.getValueNode() instanceof ScalarNode word)
          || named.put(word.getValue(), item) != null) {
        return null;
      }
    }
    return named;
  }

  static List<Node> items(Node list) {
    return list instanceof SequenceNode sequence ? sequence.getValue() : List.of();
  }

  /// Whether the collection is written with indentation, without brackets.
  static boolean isBlock(Node node) {
    return node instanceof CollectionNode<?> collection
        && collection.getFlowStyle() == FlowStyle.BLOCK
        && !collection.getValue().isEmpty();
  }

  /// Whether both nodes have the same content. The order of keys has no meaning, nor that of named
  /// items.
  static boolean areSame(Node one, Node other) {
    if (one instanceof ScalarNode a && other instanceof ScalarNode b) {
      return a.getValue().equals(b.getValue());
    }
    if (one instanceof MappingNode && other instanceof MappingNode) {
      return areSame(values(one), values(other));
    }
    if (one instanceof SequenceNode && other instanceof SequenceNode) {
      Map<String, Node> left = named(one);
      Map<String, Node> right = named(other);
      if (left != null && right != null) {
        return areSame(left, right);
      }
      List<Node> a = items(one);
      List<Node> b = items(other);
      for (int i = 0; i < a.size(); i++) {
        if (i >= b.size() || !areSame(a.get(i), b.get(i))) {
          return false;
        }
      }
      return a.size() == b.size();
    }
    return false;
  }

  private static boolean areSame(Map<String, Node> one, Map<String, Node> other) {
    for (Map.Entry<String, Node> each : one.entrySet()) {
      Node there = other.get(each.getKey());
      if (there == null || !areSame(each.getValue(), there)) {
        return false;
      }
    }
    return one.size() == other.size();
  }

  private static Map<String, Node> values(Node mapping) {
    Map<String, Node> values = new LinkedHashMap<>();
    entries(mapping).forEach((key, entry) -> values.put(key, entry.getValueNode()));
    return values;
  }

  /// Whether some node stands in several places, by an alias.
  boolean hasAliases() {
    return repeats(root, Collections.newSetFromMap(new IdentityHashMap<>()));
  }

  private static boolean repeats(Node node, Set<Node> seen) {
    if (node.getAnchor().isPresent() || !seen.add(node)) {
      return true;
    }
    for (Node item : items(node)) {
      if (repeats(item, seen)) {
        return true;
      }
    }
    for (NodeTuple tuple : entries(node).values()) {
      if (repeats(tuple.getValueNode(), seen)) {
        return true;
      }
    }
    return false;
  }

  static int line(Node node) {
    return node.getStartMark().map(Mark::getLine).orElse(0);
  }

  static int column(Node node) {
    return node.getStartMark().map(Mark::getColumn).orElse(0);
  }

  /// The last line with content of the node.
  int lastLine(Node node) {
    if (isBlock(node)) {
      Node last =
          node instanceof MappingNode mapping
              ? mapping.getValue().getLast().getValueNode()
              : items(node).getLast();
      return Math.max(line(node), lastLine(last));
    }
    Mark end = node.getEndMark().orElseThrow();
    int at = end.getColumn() == 0 && end.getLine() > line(node) ? end.getLine() - 1 : end.getLine();
    // A text of several lines ends with the empty lines behind it.
    while (at > line(node) && lines.get(at).isBlank()) {
      at--;
    }
    return Math.min(at, lines.size() - 1);
  }

  /// The first line of the comment that stands directly above the line; the line itself if there is
  /// none.
  int withComment(int line) {
    int first = line;
    while (first > 0 && lines.get(first - 1).strip().startsWith("#")) {
      first--;
    }
    return first;
  }

  /// The node as it is written. It stands in one line.
  String written(Node node) {
    if (line(node) != lastLine(node)) {
      throw new IllegalArgumentException("the node at line " + line(node) + " has several lines");
    }
    String text = lines.get(line(node));
    int start = offset(text, column(node));
    int end = offset(text, node.getEndMark().orElseThrow().getColumn());
    return text.substring(start, Math.max(start, end));
  }

  /// The node in one line, in brackets if it is a collection.
  String inline(Node node) {
    if (!isBlock(node) && line(node) == lastLine(node)) {
      return written(node);
    }
    List<String> parts = new ArrayList<>();
    if (node instanceof MappingNode) {
      entries(node)
          .forEach((_, entry) ->
              parts.add(written(entry.getKeyNode()) + ": " + inline(entry.getValueNode())));
      return "{" + String.join(", ", parts) + "}";
    }
    if (node instanceof ScalarNode word) {
      return YamlText.scalar(word.getValue());
    }
    items(node).forEach(item -> parts.add(inline(item)));
    return "[" + String.join(", ", parts) + "]";
  }

  /// Lines from a node's first to another's last, moved from one column to another.
  List<String> moved(int first, int last, int from, int to) {
    List<String> moved = new ArrayList<>();
    for (int i = first; i <= last; i++) {
      String text = lines.get(i);
      moved.add(
          text.isBlank()
              ? text
              : " ".repeat(to) + text.substring(Math.min(from, indentation(text))));
    }
    return moved;
  }

  private static int indentation(String text) {
    return text.length() - text.stripLeading().length();
  }

  /// Columns count characters, of which some take two places.
  static int offset(String text, int column) {
    return text.offsetByCodePoints(0, Math.min(column, text.codePointCount(0, text.length())));
  }
}
