package io.headgate.deploy.simulate.openb;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/// The result of one run of the protocol.
///
/// @param arrived number of tasks
/// @param placed number of tasks that got a place; the others were dropped
/// @param allocation by arrived load, both in percent of the cluster's GPUs; only loads that were
///   reached
/// @param fragmentation idle GPUs that no task of the trace can use, on average, in percent of the
///   cluster's GPUs, by arrived load
public record PackingResult(
    int arrived,
    int placed,
    SortedMap<Integer, Double> allocation,
    SortedMap<Integer, Double> fragmentation) {
  public PackingResult {
    allocation = Collections.unmodifiableSortedMap(new TreeMap<>(allocation));
    fragmentation = Collections.unmodifiableSortedMap(new TreeMap<>(fragmentation));
  }
}
