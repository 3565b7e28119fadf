package io.headgate.scheduler.core.job;

/// The part that a job plays in an array: it is the array itself, or an element of one.
public sealed interface ArrayPart permits JobArray, ArrayElement {}
