/// Pods: how one is asked for, what is said of it, and the API server that knows it. Nobody but
/// [Fabric8Pods] knows the library that speaks to it.
@NullMarked
package io.headgate.agent.kubernetes;

import org.jspecify.annotations.NullMarked;
