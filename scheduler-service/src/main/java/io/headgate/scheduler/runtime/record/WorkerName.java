package io.headgate.scheduler.runtime.record;

/// One worker of one attempt.
///
/// @param uid [JobRecord#uid]; empty: the agent does not know it
/// @param attempt from 1
/// @param worker from 0
public record WorkerName(JobName job, String uid, int attempt, int worker) {}
