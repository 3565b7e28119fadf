/// What things are called: one type for each kind of id.
@NullMarked
package io.headgate.policy.core.name;

import org.jspecify.annotations.NullMarked;
