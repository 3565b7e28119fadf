package io.headgate.sdk.config;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/// Brings a configuration file to another content, and leaves all else of its text: the order of
/// its keys and items, comments, empty lines and the spelling of values.
///
/// Both contents are written in the one form of [ConfigurationWriter]. Where these two texts
/// differ, the file is edited. So a value that the file states though it is the default stays.
public final class FileUpdate {
  /// Keys that only a person changes.
  private static final List<String> HEADER = List.of("apiVersion", "kind", "tenant");

  private final YamlPlaces file;
  private final YamlPlaces wanted;

  /// Edits by their first line.
  private final SortedMap<Integer, Edit> edits = new TreeMap<>();

  private FileUpdate(YamlPlaces file, YamlPlaces wanted) {
    this.file = file;
    this.wanted = wanted;
  }

  /// Replaces the lines from the first on by others.
  ///
  /// @param last before the first: nothing is replaced
  private record Edit(int first, int last, List<String> by) {}

  /// A file's text with other content.
  ///
  /// @param places edited in the file; 0: it says the same already
  public record Updated(String text, int places) {}

  /// Brings the file to the content.
  ///
  /// @return empty: the file cannot be edited, because it is JSON or uses anchors
  /// @throws ConfigurationException the file is no configuration
  public static Optional<Updated> of(String fileName, String text, Configuration content)
      throws ConfigurationException {
    Configuration present = ConfigurationReader.read(fileName, text).configuration();
    // A file that does not state the admins leaves them alone.
    Configuration wanted =
        content
            .withTenant(present.tenant())
            .withHiddenOf(present)
            .withAdmins(present.admins() == null ? null : content.admins());
    try {
      YamlPlaces before = YamlPlaces.of(ConfigurationWriter.write(present));
      YamlPlaces after = YamlPlaces.of(ConfigurationWriter.write(wanted));
      if (YamlPlaces.areSame(before.root(), after.root())) {
        return Optional.of(new Updated(text, 0));
      }
      YamlPlaces file = YamlPlaces.of(text);
      if (!YamlPlaces.isBlock(file.root()) || file.hasAliases()) {
        return Optional.empty();
      }
      FileUpdate update = new FileUpdate(file, after);
      update.mapping(file.root(), before.root(), after.root());
      String updated = update.text(text);
      String result =
          ConfigurationWriter.write(ConfigurationReader.read(fileName, updated).configuration());
      return YamlPlaces.areSame(YamlPlaces.of(result).root(), after.root())
          ? Optional.of(new Updated(updated, update.edits.size()))
          : Optional.empty();
    } catch (MalformedTextException e) {
      throw new IllegalStateException("a written configuration cannot be read", e);
    }
  }

  /// Changes a mapping with indentation.
  private void mapping(Node here, Node before, Node after) {
    Map<String, NodeTuple> known = YamlPlaces.entries(here);
    Map<String, NodeTuple> old = YamlPlaces.entries(before);
    Map<String, NodeTuple> wants = YamlPlaces.entries(after);
    old.forEach((key, _) -> {
      if (!wants.containsKey(key) && known.containsKey(key) && !HEADER.contains(key)) {
        remove(known.get(key).getKeyNode(), known.get(key).getValueNode());
      }
    });
    int behind = YamlPlaces.line(here) - 1;
    for (Map.Entry<String, NodeTuple> each : wants.entrySet()) {
      NodeTuple mine = known.get(each.getKey());
      NodeTuple was = old.get(each.getKey());
      if (mine != null) {
        behind = file.lastLine(mine.getValueNode());
        if (was == null
            || !YamlPlaces.areSame(was.getValueNode(), each.getValue().getValueNode())) {
          change(mine, was, each.getValue());
        }
      } else if (was == null
          || !YamlPlaces.areSame(was.getValueNode(), each.getValue().getValueNode())) {
        boolean isSection = column(here) == 0 && YamlPlaces.isBlock(each.getValue().getValueNode());
        insert(behind, isSection, moved(each.getValue(), column(here)));
      }
    }
  }

  private static int column(Node mapping) {
    return YamlPlaces.column(((MappingNode) mapping).getValue().getFirst().getKeyNode());
  }

  private List<String> moved(NodeTuple entry, int to) {
    int first = YamlPlaces.line(entry.getKeyNode());
    int from = YamlPlaces.column(entry.getKeyNode());
    List<String> lines =
        new ArrayList<>(wanted.moved(first, wanted.lastLine(entry.getValueNode()), from, to));
    String start = wanted.lines().get(first);
    lines.set(0, " ".repeat(to) + start.substring(YamlPlaces.offset(start, from)));
    return lines;
  }

  /// Gives an entry of a mapping with indentation another value.
  private void change(NodeTuple mine, @Nullable NodeTuple was, NodeTuple wants) {
    Node here = mine.getValueNode();
    Node after = wants.getValueNode();
    if (was != null && YamlPlaces.isBlock(here)) {
      Node before = was.getValueNode();
      if (here instanceof MappingNode && after instanceof MappingNode) {
        mapping(here, before, after);
        return;
      }
      if (here instanceof SequenceNode && after instanceof SequenceNode) {
        sequence(here, before, after);
        return;
      }
    }
    if (!YamlPlaces.isBlock(here) && YamlPlaces.line(here) == file.lastLine(here)) {
      replace(here, was == null ? wanted.inline(after) : merged(here, was.getValueNode(), after));
      return;
    }
    int first = YamlPlaces.line(mine.getKeyNode());
    List<String> lines = moved(wants, YamlPlaces.column(mine.getKeyNode()));
    String start = file.lines().get(first);
    int at = YamlPlaces.offset(start, YamlPlaces.column(mine.getKeyNode()));
    lines.set(0, start.substring(0, at) + lines.getFirst().stripLeading());
    edit(first, file.lastLine(here), lines);
  }

  /// Changes a list with indentation.
  private void sequence(Node here, Node before, Node after) {
    Map<String, Node> known = YamlPlaces.named(here);
    Map<String, Node> old = YamlPlaces.named(before);
    Map<String, Node> wants = YamlPlaces.named(after);
    if (known == null || old == null || wants == null) {
      words(here, after);
      return;
    }
    known.forEach((name, item) -> {
      Node to = wants.get(name);
      if (to == null) {
        removeItem(item);
      } else if (!YamlPlaces.areSame(Objects.requireNonNull(old.get(name)), to)) {
        item(item, Objects.requireNonNull(old.get(name)), to);
      }
    });
    List<String> added = new ArrayList<>();
    wants.forEach((name, item) -> {
      if (!known.containsKey(name)) {
        added.addAll(asItem(item, dash(here)));
      }
    });
    if (!added.isEmpty()) {
      insert(file.lastLine(here), false, added);
    }
  }

  private void item(Node here, Node before, Node after) {
    if (YamlPlaces.isBlock(here)) {
      mapping(here, before, after);
    } else if (YamlPlaces.line(here) == file.lastLine(here)) {
      replace(here, merged(here, before, after));
    } else {
      int first = YamlPlaces.line(here);
      String start = file.lines().get(first);
      String end = file.lines().get(file.lastLine(here));
      edit(
          first,
          file.lastLine(here),
          List.of(
              start.substring(0, YamlPlaces.offset(start, YamlPlaces.column(here)))
                  + merged(here, before, after)
                  + end.substring(
                      YamlPlaces.offset(end, here.getEndMark().orElseThrow().getColumn()))));
    }
  }

  /// Brings a list of words into the order that is wanted. Words that stay keep their lines.
  private void words(Node here, Node after) {
    Map<String, List<String>> kept = new HashMap<>();
    for (Node item : YamlPlaces.items(here)) {
      int first = YamlPlaces.line(item);
      kept.put(
          item instanceof ScalarNode word ? word.getValue() : file.inline(item),
          file.lines().subList(file.withComment(first), file.lastLine(item) + 1));
    }
    List<String> lines = new ArrayList<>();
    for (Node item : YamlPlaces.items(after)) {
      String key = item instanceof ScalarNode word ? word.getValue() : wanted.inline(item);
      lines.addAll(kept.getOrDefault(key, asItem(item, dash(here))));
    }
    int first = file.withComment(YamlPlaces.line(YamlPlaces.items(here).getFirst()));
    edit(first, file.lastLine(here), lines);
  }

  /// Column of the dashes of a list.
  private int dash(Node list) {
    return file.lines().get(YamlPlaces.line(YamlPlaces.items(list).getFirst())).indexOf('-');
  }

  private List<String> asItem(Node item, int dash) {
    String start = " ".repeat(dash) + "- ";
    if (!YamlPlaces.isBlock(item)) {
      return List.of(start + wanted.inline(item));
    }
    int from = YamlPlaces.column(item);
    int first = YamlPlaces.line(item);
    List<String> lines =
        new ArrayList<>(wanted.moved(first, wanted.lastLine(item), from, dash + 2));
    String text = wanted.lines().get(first);
    lines.set(0, start + text.substring(YamlPlaces.offset(text, from)));
    return lines;
  }

  /// The value of one line with another content. Entries of a mapping keep their order and
  /// spelling.
  private String merged(Node here, Node before, Node after) {
    if (!(here instanceof MappingNode) || !(after instanceof MappingNode)) {
      return wanted.inline(after);
    }
    Map<String, NodeTuple> known = YamlPlaces.entries(here);
    Map<String, NodeTuple> old = YamlPlaces.entries(before);
    Map<String, NodeTuple> wants = YamlPlaces.entries(after);
    List<String> parts = new ArrayList<>();
    known.forEach((key, entry) -> {
      NodeTuple to = wants.get(key);
      NodeTuple was = old.get(key);
      boolean stays =
          to == null
              ? was == null
              : was != null && YamlPlaces.areSame(was.getValueNode(), to.getValueNode());
      if (stays) {
        parts.add(file.written(entry.getKeyNode()) + ": " + file.inline(entry.getValueNode()));
      } else if (to != null) {
        parts.add(file.written(entry.getKeyNode()) + ": " + wanted.inline(to.getValueNode()));
      }
    });
    wants.forEach((key, entry) -> {
      NodeTuple was = old.get(key);
      boolean isImplied =
          was != null && YamlPlaces.areSame(was.getValueNode(), entry.getValueNode());
      if (!known.containsKey(key) && !isImplied) {
        parts.add(wanted.written(entry.getKeyNode()) + ": " + wanted.inline(entry.getValueNode()));
      }
    });
    return "{" + String.join(", ", parts) + "}";
  }

  /// Replaces a node of one line; the rest of its line stays.
  private void replace(Node here, String by) {
    int line = YamlPlaces.line(here);
    String text = file.lines().get(line);
    int start = YamlPlaces.offset(text, YamlPlaces.column(here));
    int end = YamlPlaces.offset(text, here.getEndMark().orElseThrow().getColumn());
    String head = text.substring(0, start);
    String space = head.endsWith(":") ? " " : "";
    edit(line, line, List.of(head + space + by + text.substring(Math.max(start, end))));
  }

  private void removeItem(Node item) {
    remove(item, item);
  }

  private void remove(Node start, Node end) {
    int first = file.withComment(YamlPlaces.line(start));
    int last = file.lastLine(end);
    boolean isFree = first > 0 && file.lines().get(first - 1).isBlank();
    if (isFree && (last + 1 == file.lines().size() || file.lines().get(last + 1).isBlank())) {
      first--;
    }
    edit(first, last, List.of());
  }

  private void insert(int behind, boolean isSection, List<String> lines) {
    List<String> by = new ArrayList<>(isSection ? List.of("") : List.of());
    by.addAll(lines);
    edit(behind + 1, behind, by);
  }

  private void edit(int first, int last, List<String> by) {
    edits.merge(
        first,
        new Edit(first, last, by),
        (one, other) -> {
          List<String> both = new ArrayList<>(one.by());
          // Lines that are put before a line that changes come first.
          if (one.last() < one.first()) {
            both.addAll(other.by());
          } else {
            both.addAll(0, other.by());
          }
          return new Edit(first, Math.max(one.last(), other.last()), both);
        });
  }

  private String text(String original) {
    String end = original.contains("\r\n") ? "\r\n" : "\n";
    List<String> result = new ArrayList<>();
    int line = 0;
    for (Edit edit : edits.values()) {
      for (; line < edit.first(); line++) {
        result.add(file.lines().get(line));
      }
      result.addAll(edit.by());
      line = Math.max(line, edit.last() + 1);
    }
    for (; line < file.lines().size(); line++) {
      result.add(file.lines().get(line));
    }
    return String.join(end, result) + end;
  }
}
