/// What the client sends and receives, as records: jobs, events, explanations, nodes, use, and the
/// one exception. Nothing here knows how it travels.
@NullMarked
package io.headgate.sdk.model;

import org.jspecify.annotations.NullMarked;
