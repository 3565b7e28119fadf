/// Records that the client sends and receives: jobs, events, explanations, nodes, usage, and the
/// one exception. They do not depend on the wire format.
@NullMarked
package io.headgate.sdk.model;

import org.jspecify.annotations.NullMarked;
