package io.headgate.kit.config;

import io.headgate.kit.decision.NearestWord;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/// Reads YAML nodes into records and collects problems instead of stopping at the first. An
/// unreadable value is null and has left at least one problem. A component without a description is
/// a programmer's error, so that no key is missing from the reference.
final class RecordReader {
  private final String file;
  private final Map<String, String> environment;
  private final List<ConfigProblem> problems;

  RecordReader(String file, Map<String, String> environment, List<ConfigProblem> problems) {
    this.file = file;
    this.environment = environment;
    this.problems = problems;
  }

  @Nullable Object read(Class<? extends Record> type, @Nullable MappingNode node) {
    return record(type, node, "", null);
  }

  private @Nullable Object record(
      Class<?> type, @Nullable MappingNode node, String path, @Nullable Object inherited) {
    Object defaults = inherited == null ? RecordKeys.defaults(type) : inherited;
    RecordComponent[] components = type.getRecordComponents();
    Map<String, Node> entries = entries(type, node, path);
    @Nullable Object[] values = new Object[components.length];
    boolean complete = true;
    for (int i = 0; i < components.length; i++) {
      String key = RecordKeys.key(components[i]);
      Object fallback = defaults == null ? null : RecordKeys.value(components[i], defaults);
      String where = RecordKeys.path(path, key);
      values[i] = component(components[i], entries.get(key), where, fallback);
      complete &= values[i] != null;
    }
    return complete ? construct(type, values, node, path) : null;
  }

  private @Nullable Object component(
      RecordComponent component, @Nullable Node node, String path, @Nullable Object fallback) {
    RecordKeys.setting(component);
    Type type = component.getGenericType();
    String variable = RecordKeys.variable(path);
    String override = environment.get(variable);
    Default annotation = component.getAnnotation(Default.class);
    if (override != null && !RecordKeys.isRecord(type)) {
      return text(type, override, variable, path);
    }
    String secretFile = environment.get(variable + "_FILE");
    if (secretFile != null && type == Secret.class) {
      return secret(Path.of(secretFile), variable + "_FILE", path);
    }
    if (node != null || hasNestedVariable(type, variable)) {
      return node(type, node, path, fallback);
    }
    if (annotation != null) {
      return text(type, annotation.value(), "default", path);
    }
    if (RecordKeys.isRecord(type)) {
      return record((Class<?>) type, null, path, fallback);
    }
    return fallback != null ? fallback : absent(type, variable, path);
  }

  private @Nullable Object node(
      Type type, @Nullable Node node, String path, @Nullable Object fallback) {
    if (type instanceof ParameterizedType generic) {
      Type last = generic.getActualTypeArguments()[generic.getActualTypeArguments().length - 1];
      return switch (generic.getRawType().getTypeName()) {
        case "java.util.Optional" -> {
          Object nested = fallback instanceof Optional<?> given ? given.orElse(null) : null;
          Object value = node(last, node, path, nested);
          yield value == null ? null : Optional.of(value);
        }
        case "java.util.List" -> list(last, node, path);
        case "java.util.Map" -> map(last, node, path);
        default -> throw unsupported(type, path);
      };
    }
    if (RecordKeys.isRecord(type)) {
      if (node == null || node instanceof MappingNode) {
        return record((Class<?>) type, (MappingNode) node, path, fallback);
      }
      return refuse(node, path, "holds keys of its own, not a single value");
    }
    if (node instanceof ScalarNode scalar) {
      return text(type, scalar.getValue(), where(node), path);
    }
    return refuse(node, path, "is a single value, not a list or keys");
  }

  private @Nullable Object list(Type element, @Nullable Node node, String path) {
    if (!(node instanceof SequenceNode sequence)) {
      return refuse(node, path, "is a list: write [a, b] or lines that begin with '- '");
    }
    List<Object> values = new ArrayList<>();
    boolean complete = true;
    for (int i = 0; i < sequence.getValue().size(); i++) {
      Object value = node(element, sequence.getValue().get(i), path + "[" + i + "]", null);
      if (value == null) {
        complete = false;
      } else {
        values.add(value);
      }
    }
    return complete ? List.copyOf(values) : null;
  }

  private @Nullable Object map(Type element, @Nullable Node node, String path) {
    if (!(node instanceof MappingNode mapping)) {
      return refuse(node, path, "holds keys of its own");
    }
    Map<String, Object> values = new LinkedHashMap<>();
    boolean complete = true;
    for (NodeTuple tuple : mapping.getValue()) {
      String key = tuple.getKeyNode() instanceof ScalarNode scalar ? scalar.getValue() : "?";
      Object value = node(element, tuple.getValueNode(), path + "." + key, null);
      if (value == null || values.put(key, value) != null) {
        complete = false;
        if (value != null) {
          refuse(tuple.getKeyNode(), path + "." + key, "is given twice");
        }
      }
    }
    return complete ? Collections.unmodifiableMap(values) : null;
  }

  private @Nullable Object text(Type type, String text, String where, String path) {
    try {
      if (type instanceof ParameterizedType generic) {
        Type element = generic.getActualTypeArguments()[0];
        if (generic.getRawType() == Optional.class) {
          return Optional.of(Scalars.parse((Class<?>) element, text));
        }
        if (generic.getRawType() == List.class) {
          return items(text).stream().map(item -> Scalars.parse((Class<?>) element, item)).toList();
        }
        if (generic.getRawType() == Map.class) {
          return named((Class<?>) generic.getActualTypeArguments()[1], text);
        }
        throw new IllegalArgumentException("cannot be given by an environment variable");
      }
      return Scalars.parse((Class<?>) type, text);
    } catch (IllegalArgumentException e) {
      problems.add(new ConfigProblem(where, path, String.valueOf(e.getMessage())));
      return null;
    }
  }

  private static List<String> items(String text) {
    return Arrays.stream(text.split(","))
        .map(String::strip)
        .filter(item -> !item.isEmpty())
        .toList();
  }

  private static Map<String, Object> named(Class<?> element, String text) {
    Map<String, Object> values = new LinkedHashMap<>();
    for (String item : items(text)) {
      int equals = item.indexOf('=');
      if (equals < 0) {
        throw new IllegalArgumentException("'" + item + "' is not NAME=VALUE");
      }
      String name = item.substring(0, equals).strip();
      Object value = Scalars.parse(element, item.substring(equals + 1).strip());
      if (values.put(name, value) != null) {
        throw new IllegalArgumentException("'" + name + "' is given twice");
      }
    }
    return Collections.unmodifiableMap(values);
  }

  /// Secrets are best passed as files: unlike variables, files do not show in process lists.
  private @Nullable Object secret(Path source, String variable, String path) {
    try {
      return Secret.of(Files.readString(source).strip());
    } catch (IOException e) {
      problems.add(new ConfigProblem(variable, path, "cannot read " + source));
      return null;
    }
  }

  private @Nullable Object absent(Type type, String variable, String path) {
    if (type instanceof ParameterizedType generic) {
      return switch (generic.getRawType().getTypeName()) {
        case "java.util.Optional" -> Optional.empty();
        case "java.util.List" -> List.of();
        case "java.util.Map" -> Map.of();
        default -> throw unsupported(type, path);
      };
    }
    problems.add(new ConfigProblem(file, path, "is missing: set it in the file or by " + variable));
    return null;
  }

  /// The entries of a record's mapping by key; unknown keys are problems.
  private Map<String, Node> entries(Class<?> type, @Nullable MappingNode node, String path) {
    Map<String, Node> entries = new LinkedHashMap<>();
    if (node == null) {
      return entries;
    }
    List<String> known = Arrays.stream(type.getRecordComponents()).map(RecordKeys::key).toList();
    for (NodeTuple tuple : node.getValue()) {
      String key = tuple.getKeyNode() instanceof ScalarNode scalar ? scalar.getValue() : "?";
      String full = RecordKeys.path(path, key);
      if (!known.contains(key)) {
        refuse(tuple.getKeyNode(), full, NearestWord.unknown("key", key, known));
      } else if (entries.put(key, tuple.getValueNode()) != null) {
        refuse(tuple.getKeyNode(), full, "is given twice");
      }
    }
    return entries;
  }

  private @Nullable Object construct(
      Class<?> type, @Nullable Object[] values, @Nullable Node node, String path) {
    Class<?>[] parameters =
        Arrays.stream(type.getRecordComponents())
            .map(RecordComponent::getType)
            .toArray(Class<?>[]::new);
    try {
      Constructor<?> constructor = type.getDeclaredConstructor(parameters);
      constructor.setAccessible(true);
      return constructor.newInstance(values);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof IllegalArgumentException refusal) {
        return refuse(node, path, String.valueOf(refusal.getMessage()));
      }
      throw new IllegalStateException("cannot construct " + type, e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("cannot construct " + type, e);
    }
  }

  private @Nullable Object refuse(@Nullable Node node, String path, String message) {
    problems.add(new ConfigProblem(where(node), path.isEmpty() ? "(all)" : path, message));
    return null;
  }

  private String where(@Nullable Node node) {
    Optional<Mark> mark = node == null ? Optional.empty() : node.getStartMark();
    return mark.map(at -> file + ":" + (at.getLine() + 1) + ":" + (at.getColumn() + 1))
        .orElse(file);
  }

  private boolean hasNestedVariable(Type type, String variable) {
    boolean optionalRecord =
        type instanceof ParameterizedType generic
            && generic.getRawType() == Optional.class
            && RecordKeys.isRecord(generic.getActualTypeArguments()[0]);
    return optionalRecord
        && environment.keySet().stream().anyMatch(name -> name.startsWith(variable + "_"));
  }

  private static IllegalStateException unsupported(Type type, String path) {
    return new IllegalStateException("no configuration of type " + type + " at " + path);
  }
}
