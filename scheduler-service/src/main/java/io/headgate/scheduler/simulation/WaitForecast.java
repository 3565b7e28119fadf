package io.headgate.scheduler.simulation;

import java.util.OptionalLong;

/// The waits of a policy's jobs, each from now on or from its submission, if that is later.
///
/// @param jobs that wait or come to wait; 0: no job does, and there is nothing to forecast
/// @param p50Ms half of the jobs wait no longer; empty: the simulation ended before half started
/// @param p99Ms 99 in 100 of the jobs wait no longer; empty: likewise
public record WaitForecast(int jobs, OptionalLong p50Ms, OptionalLong p99Ms) {}
