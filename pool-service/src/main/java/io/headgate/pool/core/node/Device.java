package io.headgate.pool.core.node;

import java.util.Optional;

/// One GPU of a node.
///
/// @param index position on the node, from 0
/// @param uuid the driver's stable identity
/// @param isolation strongest isolation available to a slice of it
/// @param slices as its driver reports; absent: the usual ones of its geometry
/// @param condition as its agent reports; absent: not reported
public record Device(
    int index,
    String uuid,
    String gpuModel,
    long memoryBytes,
    Geometry geometry,
    Isolation isolation,
    Optional<SliceTable> slices,
    Optional<DeviceCondition> condition) {}
