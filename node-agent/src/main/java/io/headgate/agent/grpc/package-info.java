/// The agent's wire: it dials out to the scheduler, the pool-service and the policy-service, and
/// listens on nothing. Protobuf types stay here.
@NullMarked
package io.headgate.agent.grpc;

import org.jspecify.annotations.NullMarked;
