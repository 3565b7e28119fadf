package io.headgate.pool.core.draft;

import java.time.Instant;

/// Time and author of a change.
///
/// @param by the subject of the caller's token
public record Stamp(Instant at, String by) {}
