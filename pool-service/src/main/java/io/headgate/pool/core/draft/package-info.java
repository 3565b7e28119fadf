/// How a draft is edited and put in force.
@NullMarked
package io.headgate.pool.core.draft;

import org.jspecify.annotations.NullMarked;
