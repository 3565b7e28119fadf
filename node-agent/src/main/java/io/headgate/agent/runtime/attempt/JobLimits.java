package io.headgate.agent.runtime.attempt;

/// Upper limits of one job.
///
/// @param processes processes and threads together
/// @param files open files of one process
/// @param cpuMillis of a job that requests none; 0: unlimited
/// @param memoryBytes of a job that requests none; 0: unlimited
public record JobLimits(int processes, int files, long cpuMillis, long memoryBytes) {}
