package io.headgate.scheduler.runtime.record;

/// The state of a budget, as it was told last.
///
/// @param use when that began
public record BudgetRecord(BudgetUse use, Budget.State state) {}
