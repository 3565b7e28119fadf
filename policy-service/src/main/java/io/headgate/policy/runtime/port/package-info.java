/// The ports of the runtime: durable tables, supply, encrypted secrets.
@NullMarked
package io.headgate.policy.runtime.port;

import org.jspecify.annotations.NullMarked;
