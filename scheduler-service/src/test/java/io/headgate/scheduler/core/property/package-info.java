/// The rules a second time, and random histories that are held against them.
@NullMarked
package io.headgate.scheduler.core.property;

import org.jspecify.annotations.NullMarked;
