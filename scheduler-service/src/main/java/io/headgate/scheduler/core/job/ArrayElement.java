package io.headgate.scheduler.core.job;

/// A job that is an element of an array.
///
/// @param array id of the array
/// @param number from 1 to the size of the array
public record ArrayElement(JobId array, int number) implements ArrayPart {}
