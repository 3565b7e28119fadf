package io.headgate.pool.core.node;

import java.util.Optional;

/// One GPU of a node.
///
/// @param index position on the node, from 0
/// @param uuid the driver's stable identity
/// @param isolation the strongest that a part of it can get
/// @param slices as its driver tells; absent: the usual ones of its geometry
/// @param condition as its agent says; absent: it does not say
public record Device(
    int index,
    String uuid,
    String gpuModel,
    long memoryBytes,
    Geometry geometry,
    Isolation isolation,
    Optional<SliceTable> slices,
    Optional<DeviceCondition> condition) {}
