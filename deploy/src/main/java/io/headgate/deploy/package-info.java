/// All-in-one: the three services and some agents in one process over an embedded PostgreSQL.
/// Nothing is stubbed; the parts talk over the same gRPC as in a distributed installation.
@NullMarked
package io.headgate.deploy;

import org.jspecify.annotations.NullMarked;
