/// PostgreSQL and secret files behind the ports. jOOQ types stay here.
@NullMarked
package io.headgate.policy.store;

import org.jspecify.annotations.NullMarked;
