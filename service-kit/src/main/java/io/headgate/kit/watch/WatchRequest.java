package io.headgate.kit.watch;

/// Where a watch begins and when it ends.
///
/// @param version last version that the client has seen, 0 if none
/// @param oneStep end after the first step, which may have several parts; otherwise the watch goes
///   on until its client leaves
public record WatchRequest(long version, boolean oneStep) {}
