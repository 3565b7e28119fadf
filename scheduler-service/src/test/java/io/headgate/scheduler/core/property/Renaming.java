package io.headgate.scheduler.core.property;

import io.headgate.scheduler.core.catalog.DepartmentId;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.ProfileId;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.catalog.UserId;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.node.NodeId;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;

/// Gives everything of some kinds other names, at random, and takes them back. Inputs and effects
/// are records of records, so it finds every id in them by itself. The numbers of jobs grow, and
/// keep their order.
final class Renaming {
  /// A kind of id whose name users choose.
  enum Kind {
    TENANT(TenantId.class),
    DEPARTMENT(DepartmentId.class),
    POOL(PoolId.class),
    PROFILE(ProfileId.class),
    POLICY(PolicyId.class),
    QUEUE(QueueId.class),
    USER(UserId.class),
    NODE(NodeId.class);

    private final Class<? extends Record> id;

    Kind(Class<? extends Record> id) {
      this.id = id;
    }
  }

  private static final long FIRST_NUMBER = 7_000_000_000L;

  private static final ClassValue<Shape> SHAPES =
      new ClassValue<>() {
        @Override
        protected Shape computeValue(Class<?> type) {
          return Shape.of(type);
        }
      };

  private final RandomGenerator random;
  private final Set<Class<?>> renamed = new HashSet<>();
  private final Map<Class<?>, Map<String, String>> names = new HashMap<>();
  private final Map<Class<?>, Map<String, String>> originals = new HashMap<>();

  /// @param random chooses the names
  Renaming(RandomGenerator random, Set<Kind> kinds) {
    this.random = random;
    kinds.forEach(kind -> renamed.add(kind.id));
  }

  /// The value with other names.
  <T> T renamed(T value) {
    return same(value, changed(value, true));
  }

  /// Takes [#renamed] back.
  <T> T original(T value) {
    return same(value, changed(value, false));
  }

  @SuppressWarnings("unchecked") // A value changes its names only.
  private static <T> T same(T like, Object changed) {
    if (!like.getClass().isInstance(changed) && !(like instanceof List || like instanceof Set)) {
      throw new IllegalStateException(like + " became " + changed);
    }
    return (T) changed;
  }

  private Object changed(Object value, boolean forwards) {
    return switch (value) {
      case JobId(long number) -> new JobId(number + (forwards ? FIRST_NUMBER : -FIRST_NUMBER));
      case Record one -> changedRecord(one, forwards);
      case Optional<?> one -> one.map(each -> changed(each, forwards));
      case List<?> all -> all.stream().map(each -> changed(each, forwards)).toList();
      case Set<?> all -> {
        Set<Object> changed = new HashSet<>();
        all.forEach(each -> changed.add(changed(each, forwards)));
        yield changed;
      }
      default -> value;
    };
  }

  private Object changedRecord(Record value, boolean forwards) {
    Shape shape = SHAPES.get(value.getClass());
    boolean isNamed = renamed.contains(value.getClass());
    Object[] parts = shape.parts(value);
    for (int i = 0; i < parts.length; i++) {
      parts[i] =
          isNamed && parts[i] instanceof String name
              ? name(value.getClass(), name, forwards)
              : changed(parts[i], forwards);
    }
    return shape.record(parts);
  }

  private String name(Class<?> kind, String name, boolean forwards) {
    Map<String, String> back = originals.computeIfAbsent(kind, key -> new HashMap<>());
    if (!forwards) {
      return back.getOrDefault(name, name);
    }
    return names
        .computeIfAbsent(kind, key -> new HashMap<>())
        .computeIfAbsent(
            name,
            original -> {
              String chosen = "n" + random.nextInt(1_000_000_000);
              while (back.putIfAbsent(chosen, original) != null) {
                chosen = "n" + random.nextInt(1_000_000_000);
              }
              return chosen;
            });
  }

  /// The parts of a kind of record, and the way to make one.
  private record Shape(List<Method> parts, Constructor<?> constructor) {
    static Shape of(Class<?> type) {
      List<Method> parts = new ArrayList<>();
      for (RecordComponent component : type.getRecordComponents()) {
        component.getAccessor().setAccessible(true);
        parts.add(component.getAccessor());
      }
      try {
        Constructor<?> constructor =
            type.getDeclaredConstructor(
                Arrays.stream(type.getRecordComponents())
                    .map(RecordComponent::getType)
                    .toArray(Class<?>[]::new));
        constructor.setAccessible(true);
        return new Shape(parts, constructor);
      } catch (NoSuchMethodException e) {
        throw new IllegalStateException(e);
      }
    }

    Object[] parts(Record value) {
      Object[] values = new Object[parts.size()];
      try {
        for (int i = 0; i < values.length; i++) {
          values[i] = parts.get(i).invoke(value);
        }
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException(e);
      }
      return values;
    }

    Object record(Object[] values) {
      try {
        return constructor.newInstance(values);
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
