package io.headgate.agent.core;

/// The leader that gives a command.
///
/// @param incarnation names the installation's state; new at every restore from a backup, without
///   an order
/// @param epoch rises with every take-over
/// @param leader the leading replica
public record Leadership(String incarnation, long epoch, String leader) {}
