package io.headgate.pool.core.draft;

import java.time.Instant;

/// When something was done and by whom.
///
/// @param by the subject of the caller's token
public record Stamp(Instant at, String by) {}
