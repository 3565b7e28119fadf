package io.headgate.scheduler.core.job;

import io.headgate.scheduler.core.node.NodeId;
import java.time.Instant;

/// A pause of a job whose attempt a node rejected. The jobs behind it go first meanwhile.
///
/// @param node that rejected the last attempt
/// @param rejections in a row since an attempt of the job started; each doubles the pause
/// @param until end of the pause
public record BackOff(NodeId node, int rejections, Instant until) {}
