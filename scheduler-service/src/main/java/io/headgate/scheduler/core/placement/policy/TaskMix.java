package io.headgate.scheduler.core.placement.policy;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

/// The expected tasks, and how often each class comes.
///
/// @param parts most frequent first; their shares add up to 1, unless there are none
public record TaskMix(List<Part> parts) {
  /// No tasks are expected.
  public static final TaskMix EMPTY = new TaskMix(List.of());

  /// A class and its share of all tasks, above 0.
  public record Part(TaskClass task, double share) {}

  private static final Comparator<Part> FREQUENT_FIRST =
      Comparator.comparingDouble(Part::share).reversed().thenComparing(Part::task);

  public TaskMix {
    parts = List.copyOf(parts);
  }

  /// A mix of the classes by their weights.
  ///
  /// @param weights of the classes, in any unit; those without weight are left out
  public static TaskMix of(Map<TaskClass, Double> weights) {
    List<Part> parts = new ArrayList<>();
    weights.forEach((task, weight) -> {
      if (weight > 0) {
        parts.add(new Part(task, weight));
      }
    });
    return normal(parts);
  }

  private static TaskMix normal(List<Part> parts) {
    // Sorted before they are added up: the sum of doubles depends on their order.
    parts.sort(FREQUENT_FIRST);
    double sum = 0;
    for (Part part : parts) {
      sum += part.share();
    }
    List<Part> shares = new ArrayList<>(parts.size());
    for (Part part : parts) {
      shares.add(new Part(part.task(), part.share() / sum));
    }
    return new TaskMix(shares);
  }

  /// Its most frequent classes that together have at least such a part of all tasks.
  public TaskMix mostFrequent(double part) {
    List<Part> chosen = new ArrayList<>();
    double sum = 0;
    for (Part next : parts) {
      if (sum >= part) {
        break;
      }
      chosen.add(next);
      sum += next.share();
    }
    return normal(chosen);
  }

  /// The average units of a task.
  double meanUnits() {
    double sum = 0;
    for (Part part : parts) {
      sum += part.share() * part.task().totalUnits();
    }
    return sum;
  }

  /// The average CPU of a task.
  double meanCpuMillis() {
    double sum = 0;
    for (Part part : parts) {
      sum += part.share() * part.task().cpuMillis();
    }
    return sum;
  }

  /// The models that some class restricts itself to.
  SortedSet<String> models() {
    SortedSet<String> models = new TreeSet<>();
    for (Part part : parts) {
      models.addAll(part.task().gpuModels());
    }
    return models;
  }
}
