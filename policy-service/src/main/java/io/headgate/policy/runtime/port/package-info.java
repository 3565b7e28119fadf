/// What the runtime needs of the outside: durable tables, supply, sealed secrets.
@NullMarked
package io.headgate.policy.runtime.port;

import org.jspecify.annotations.NullMarked;
