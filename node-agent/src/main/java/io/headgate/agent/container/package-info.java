/// Jobs with an image: where their files come from, and their slices as container engines read
/// them.
@NullMarked
package io.headgate.agent.container;

import org.jspecify.annotations.NullMarked;
