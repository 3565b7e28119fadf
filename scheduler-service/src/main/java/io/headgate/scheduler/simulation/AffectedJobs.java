package io.headgate.scheduler.simulation;

import java.util.List;

/// Jobs that a change of configuration affects in one way.
///
/// @param named jobs of the tenant, at most as many as asked for, in the order of the decisions
/// @param count all jobs of the tenant, the named ones included
/// @param ofOthers the number of jobs of other tenants
public record AffectedJobs<E>(List<E> named, int count, int ofOthers) {
  public AffectedJobs {
    named = List.copyOf(named);
  }
}
