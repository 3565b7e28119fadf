/// Pods: how one is requested, how its state is read, and the API server that knows it. Only
/// [Fabric8Pods] calls the API server, through the library of its client.
@NullMarked
package io.headgate.agent.kubernetes;

import org.jspecify.annotations.NullMarked;
