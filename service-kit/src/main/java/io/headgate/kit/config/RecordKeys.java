package io.headgate.kit.config;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// The rules by which components of records are keys of a file and environment variables.
final class RecordKeys {
  private static final String PREFIX = "HEADGATE_";

  private RecordKeys() {}

  /// The key of a component: `max-connections` for `maxConnections`.
  static String key(RecordComponent component) {
    return component
        .getName()
        .replaceAll("([a-z0-9])([A-Z])", "$1-$2")
        .replaceAll("([A-Z])([A-Z][a-z])", "$1-$2")
        .toLowerCase(Locale.ROOT);
  }

  /// The path of a key below `parent`, which is empty at the top.
  static String path(String parent, String key) {
    return parent.isEmpty() ? key : parent + "." + key;
  }

  /// The environment variable that overrides the key at `path`.
  static String variable(String path) {
    return PREFIX + path.replace('.', '_').replace('-', '_').toUpperCase(Locale.ROOT);
  }

  /// Whether a type is a record that is written as keys of its own.
  static boolean isRecord(Type type) {
    return type instanceof Class<?> raw && raw.isRecord() && !Scalars.reads(raw);
  }

  /// The description of a component.
  ///
  /// @throws IllegalStateException if the component has none
  static Setting setting(RecordComponent component) {
    Setting setting = component.getAnnotation(Setting.class);
    if (setting == null || setting.meaning().isBlank()) {
      throw new IllegalStateException(
          "%s of %s needs a @Setting that tells its meaning"
              .formatted(component.getName(), component.getDeclaringRecord().getName()));
    }
    return setting;
  }

  /// The record's `DEFAULTS`; null when it has none.
  static @Nullable Object defaults(Class<?> type) {
    try {
      Field field = type.getDeclaredField("DEFAULTS");
      if (!Modifier.isStatic(field.getModifiers()) || field.getType() != type) {
        return null;
      }
      field.setAccessible(true);
      return field.get(null);
    } catch (NoSuchFieldException e) {
      return null;
    } catch (IllegalAccessException e) {
      throw new IllegalStateException("cannot read DEFAULTS of " + type, e);
    }
  }

  /// The component's value in `owner`.
  static Object value(RecordComponent component, Object owner) {
    try {
      component.getAccessor().setAccessible(true);
      return component.getAccessor().invoke(owner);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("cannot read " + component, e);
    }
  }
}
