package io.headgate.deploy.simulate;

import io.headgate.scheduler.core.job.Slice;
import io.headgate.scheduler.core.job.SlicePlacement;
import io.headgate.scheduler.core.node.Device;
import io.headgate.scheduler.core.placement.DevicePlaces;
import io.headgate.scheduler.core.placement.Shape;
import io.headgate.sdk.cli.output.UsageException;
import io.headgate.sdk.config.Profile;
import io.headgate.sdk.config.ScenarioFile.Place;
import io.headgate.sdk.config.ScenarioFile.Share;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Optional;

/// Slices of the jobs that run at 0s. Jobs whose slices the file names come first; the others get
/// the best of the remaining slices.
final class RunningPlaces {
  private final Map<String, DevicePlaces> byDevice = new HashMap<>();
  private final IdentityHashMap<Share, SlicePlacement> claimed = new IdentityHashMap<>();

  private DevicePlaces places(Device device) {
    return byDevice.computeIfAbsent(device.uuid(), _ -> new DevicePlaces(device));
  }

  /// Assigns the slice that the file names, if it names one.
  void claim(String job, Device device, Share share) {
    if (share.slice() != null) {
      claimed.put(share, named(job, device, places(device), share.slice()));
    }
  }

  /// The slice of a sliced device.
  Slice slice(String job, Device device, Share share, Profile profile) {
    DevicePlaces places = places(device);
    SlicePlacement placement = claimed.get(share);
    if (placement == null) {
      placement = best(job, device, places, share, profile);
    }
    if (placement.gives().compareTo(share.gpus()) < 0) {
      throw refusal(
          job,
          device,
          "%s gives %s, and it has %s"
              .formatted(placement.label(), placement.gives(), share.gpus()),
          "give it a larger slice");
    }
    return new Slice(
        share.index(),
        device.uuid(),
        share.gpus(),
        places.memoryBytes(placement),
        Slice.isolation(share.gpus(), device.isolation()),
        Optional.of(placement));
  }

  private static SlicePlacement best(
      String job, Device device, DevicePlaces places, Share share, Profile profile) {
    long memory = profile.gpuMemoryBytes() > 0 ? profile.gpuMemoryBytes() : Shape.PROPORTIONAL;
    return places
        .take(share.gpus(), memory)
        .orElseThrow(() ->
            refusal(
                job,
                device,
                "no place is left for %s".formatted(share.gpus()),
                "give it another device, or less of this one"));
  }

  private static SlicePlacement named(String job, Device device, DevicePlaces places, Place place) {
    return places
        .take(place.profile(), place.start())
        .orElseThrow(() ->
            refusal(
                job,
                device,
                "slice \"%s\" is not there or is taken".formatted(place),
                "its places are " + String.join(", ", places.all())));
  }

  private static UsageException refusal(String job, Device device, String what, String remedy) {
    return new UsageException(
        "running job %s on %s: %s".formatted(job, device.uuid(), what), "SLICE_TAKEN", remedy);
  }
}
