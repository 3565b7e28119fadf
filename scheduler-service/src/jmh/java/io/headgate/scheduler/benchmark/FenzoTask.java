package io.headgate.scheduler.benchmark;

import com.netflix.fenzo.ConstraintEvaluator;
import com.netflix.fenzo.TaskRequest;
import com.netflix.fenzo.VMTaskFitnessCalculator;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A worker as Fenzo sees it.
final class FenzoTask implements TaskRequest {
  private final String id;
  private final double cpus;
  private final Map<String, Double> gpus;
  private @Nullable AssignedResources assigned;

  FenzoTask(String id, double cpus, double gpus) {
    this.id = id;
    this.cpus = cpus;
    this.gpus = Map.of(FenzoNode.GPUS, gpus);
  }

  @Override
  public String getId() {
    return id;
  }

  @Override
  public String taskGroupName() {
    return "";
  }

  @Override
  public double getCPUs() {
    return cpus;
  }

  @Override
  public double getMemory() {
    return 0;
  }

  @Override
  public double getNetworkMbps() {
    return 0;
  }

  @Override
  public double getDisk() {
    return 0;
  }

  @Override
  public int getPorts() {
    return 0;
  }

  @Override
  public Map<String, Double> getScalarRequests() {
    return gpus;
  }

  @Override
  public Map<String, NamedResourceSetRequest> getCustomNamedResources() {
    return Collections.emptyMap();
  }

  @Override
  public List<? extends ConstraintEvaluator> getHardConstraints() {
    return List.of();
  }

  @Override
  public List<? extends VMTaskFitnessCalculator> getSoftConstraints() {
    return List.of();
  }

  @Override
  public void setAssignedResources(@Nullable AssignedResources resources) {
    assigned = resources;
  }

  @Override
  public @Nullable AssignedResources getAssignedResources() {
    return assigned;
  }
}
