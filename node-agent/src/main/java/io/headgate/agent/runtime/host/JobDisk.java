package io.headgate.agent.runtime.host;

import io.headgate.agent.core.Assignment;
import io.headgate.agent.process.DiskQuota;
import io.headgate.agent.runtime.attempt.JobLimits;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The disk space of the jobs of this machine. The agent tries once, at its start, whether its file
/// system has quotas that hold, and logs the result.
public final class JobDisk {
  private static final Logger LOG = LoggerFactory.getLogger(JobDisk.class);

  private final JobLimits limits;
  private final Optional<DiskQuota> quota;

  private JobDisk(JobLimits limits, Optional<DiskQuota> quota) {
    this.limits = limits;
    this.quota = quota;
  }

  /// Tries the quotas of the file system of the agent's data.
  ///
  /// @param program the supervisor's
  /// @param walls around the same jobs
  /// @throws IOException also when quotas are required that do not work
  public static JobDisk open(JobWalls.Settings settings, JobWalls walls, Path program, Path data)
      throws IOException {
    DiskQuota quota = new DiskQuota(program, settings.firstUser(), settings.userCount(), data);
    Optional<String> problem =
        switch (settings.disk()) {
          case NONE -> Optional.of("the configuration turns it off");
          case AUTO, REQUIRED -> problem(quota, walls);
        };
    if (problem.isEmpty()) {
      LOG.info("jobs are limited in disk space by project quotas of the file system of {}", data);
      quota.sweep();
      return new JobDisk(settings.limits(), Optional.of(quota));
    }
    switch (settings.disk()) {
      case REQUIRED ->
          throw new IOException("walls.disk is required, but does not work here: " + problem.get());
      case AUTO -> LOG.warn("jobs are NOT limited in disk space: {}", problem.get());
      case NONE -> LOG.info("jobs are not limited in disk space: {}", problem.get());
    }
    return new JobDisk(settings.limits(), Optional.empty());
  }

  private static Optional<String> problem(DiskQuota quota, JobWalls walls) throws IOException {
    if (!walls.areUsers()) {
      return Optional.of("jobs are the agent's user, which no quota holds");
    }
    if (!walls.areFiltered()) {
      return Optional.of("without a filter of system calls, jobs can leave their quota");
    }
    return quota.problem();
  }

  /// Limits the directories of a job that is about to start.
  ///
  /// @param directories its own one first
  /// @return its limit in bytes; 0: it has none
  long limit(Assignment assignment, OptionalInt user, List<Path> directories) throws IOException {
    if (quota.isEmpty()) {
      return 0;
    }
    Optional<DiskQuota.Space> space = limits.disk(assignment.units(), quota.get().room());
    if (space.isEmpty()) {
      return 0;
    }
    quota.get().limit(user.orElse(0), space.get(), directories);
    return space.get().bytes();
  }

  /// Frees what [#limit] limited, of an attempt without live processes.
  ///
  /// @param directories as for [#limit]; all are there
  void free(List<Path> directories) throws IOException {
    if (quota.isPresent()) {
      quota.get().free(directories);
    }
  }
}
