package io.headgate.scheduler.benchmark;

import com.netflix.fenzo.VirtualMachineLease;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.mesos.Protos;
import org.jspecify.annotations.Nullable;

/// A machine of 8 GPUs as Fenzo sees it.
record FenzoNode(String hostname) implements VirtualMachineLease {
  static final String GPUS = "gpus";
  private static final Map<String, Double> SCALARS = Map.of(GPUS, 8.0);

  @Override
  public String getId() {
    return hostname;
  }

  @Override
  public long getOfferedTime() {
    return System.currentTimeMillis();
  }

  @Override
  public String getVMID() {
    return hostname;
  }

  @Override
  public double cpuCores() {
    return 128;
  }

  @Override
  public double memoryMB() {
    return 1 << 20;
  }

  @Override
  public double networkMbps() {
    return 0;
  }

  @Override
  public double diskMB() {
    return 0;
  }

  @Override
  public List<Range> portRanges() {
    return List.of();
  }

  @Override
  public Protos.@Nullable Offer getOffer() {
    return null;
  }

  @Override
  public Map<String, Protos.Attribute> getAttributeMap() {
    // Fenzo asks it for null.
    return Collections.emptyMap();
  }

  @Override
  public @Nullable Double getScalarValue(String name) {
    return SCALARS.get(name);
  }

  @Override
  public Map<String, Double> getScalarValues() {
    return SCALARS;
  }
}
