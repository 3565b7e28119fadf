/// PostgreSQL and secret files behind the ports. jOOQ types never leave.
@NullMarked
package io.headgate.policy.store;

import org.jspecify.annotations.NullMarked;
