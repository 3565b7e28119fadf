package io.headgate.scheduler.core.property;

import io.headgate.scheduler.core.Input;
import io.headgate.scheduler.core.SchedulerCore;
import io.headgate.scheduler.core.catalog.Catalog;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.placement.PlacementPolicy;
import io.headgate.scheduler.core.property.Scenarios.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/// A recorded history, which [Player] plays again, whole or in parts.
///
/// @param obedience present: agents follow their orders by themselves, as in a simulation, and the
///   steps hold only the inputs from outside. Absent: the steps hold all inputs
record History(PlacementPolicy placement, List<Step> steps, Optional<Obedience> obedience) {
  /// How the world around the core behaves.
  ///
  /// @param durations how long each attempt of a job works; a job that is not in it never ends
  /// @param stopTime from the request to stop to freed slices
  record Obedience(Map<JobId, Duration> durations, Duration stopTime) {
    Obedience {
      durations = new LinkedHashMap<>(durations);
    }
  }

  History {
    steps = List.copyOf(steps);
  }

  static History of(PlacementPolicy placement, List<Step> steps) {
    return new History(placement, steps, Optional.empty());
  }

  History with(List<Step> other) {
    return new History(placement, other, obedience);
  }

  History with(Obedience other) {
    return new History(placement, steps, Optional.of(other));
  }

  History placedAsUsual() {
    return new History(SchedulerCore.DEFAULT_PLACEMENT, steps, obedience);
  }

  /// The same with other inputs; steps that have none left are gone.
  History mapInputs(UnaryOperator<List<Input>> change) {
    List<Step> changed = new ArrayList<>();
    for (Step step : steps) {
      List<Input> inputs = change.apply(step.inputs());
      if (!inputs.isEmpty()) {
        changed.add(new Step(step.at(), inputs));
      }
    }
    return with(changed);
  }

  History mapEach(UnaryOperator<Input> change) {
    return mapInputs(inputs -> inputs.stream().map(change).toList());
  }

  History mapCatalogs(UnaryOperator<Catalog> change) {
    return mapEach(input ->
        input instanceof Input.CatalogChanged(var catalog)
            ? new Input.CatalogChanged(change.apply(catalog))
            : input);
  }
}
