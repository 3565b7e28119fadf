package io.headgate.agent.driver.nvml;

import com.sun.jna.Pointer;
import com.sun.jna.ptr.LongByReference;
import com.sun.jna.ptr.PointerByReference;
import io.headgate.agent.core.DeviceSign;
import io.headgate.agent.driver.DeviceListener;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Waits for events of the driver's GPUs, on a platform thread of its own: the wait is a native
/// call, and so are registrations, which may hang with a GPU.
final class NvmlEvents implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(NvmlEvents.class);

  private static final long XID = 0x8;
  private static final long MEMORY_FAILURE = 0x800;
  private static final long UNAVAILABLE = 0x4000;
  private static final long RECOVERY_ACTION = 0x8000;
  private static final long WANTED = XID | MEMORY_FAILURE | UNAVAILABLE | RECOVERY_ACTION;

  private static final int WAIT_MILLIS = 250;
  private static final long END_SECONDS = 5;

  private final NvmlHealthApi api;
  private final List<Gpu> gpus;
  private final DeviceListener listener;
  private final CountDownLatch closing = new CountDownLatch(1);
  private final CountDownLatch ended = new CountDownLatch(1);

  NvmlEvents(NvmlHealthApi api, List<Gpu> gpus, DeviceListener listener) {
    this.api = api;
    this.gpus = List.copyOf(gpus);
    this.listener = listener;
  }

  void start() {
    Thread.ofPlatform().daemon().name("gpu-events").start(this::run);
  }

  private void run() {
    try {
      PointerByReference set = new PointerByReference();
      int code = api.nvmlEventSetCreate(set);
      if (code != 0) {
        LOG.warn("the agent receives no GPU errors (XID events): {}", words(code));
        return;
      }
      gpus.forEach(gpu -> register(gpu, set.getValue()));
      serve(set.getValue());
      var _ = api.nvmlEventSetFree(set.getValue());
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    } finally {
      ended.countDown();
    }
  }

  private void register(Gpu gpu, Pointer set) {
    LongByReference supported = new LongByReference();
    int code = api.nvmlDeviceGetSupportedEventTypes(gpu.handle().pointer(), supported);
    if (code == 0 && (supported.getValue() & WANTED) != 0) {
      code =
          api.nvmlDeviceRegisterEvents(gpu.handle().pointer(), supported.getValue() & WANTED, set);
    }
    if (code != 0) {
      LOG.warn("the agent receives no errors (XID events) of {}: {}", gpu.words(), words(code));
    }
  }

  private void serve(Pointer set) throws InterruptedException {
    int failure = 0;
    while (closing.getCount() > 0) {
      Struct event = Struct.one(Layout.EVENT_DATA);
      int code = api.nvmlEventSetWait_v2(set, event.pointer(), WAIT_MILLIS);
      switch (NvmlStatus.of(code)) {
        case SUCCESS -> tell(event);
        case TIMEOUT -> failure = 0;
        default -> {
          // The error names no GPU, and the library may repeat it for a lost one without end.
          if (code != failure) {
            LOG.warn("the wait for GPU errors failed: {}", words(code));
            gpus.forEach(gpu -> listener.stirred(gpu.facts().uuid()));
          }
          failure = code;
          if (closing.await(WAIT_MILLIS, TimeUnit.MILLISECONDS)) {
            return;
          }
        }
      }
    }
  }

  private void tell(Struct event) {
    Pointer device = event.pointer("device");
    Optional<Gpu> gpu =
        gpus.stream().filter(known -> known.handle().pointer().equals(device)).findFirst();
    if (gpu.isEmpty()) {
      LOG.warn("XID {} came from a GPU that this agent does not know", event.u64("eventData"));
      return;
    }
    String uuid = gpu.get().facts().uuid();
    if (event.u64("eventType") == XID) {
      listener.reported(uuid, new DeviceSign.Xid((int) event.u64("eventData")));
    } else {
      listener.stirred(uuid);
    }
  }

  private static String words(int code) {
    return NvmlStatus.of(code) + " (" + code + ")";
  }

  /// Waits for the thread, which must not be in the library when that is shut down.
  @Override
  public void close() {
    closing.countDown();
    try {
      if (!ended.await(END_SECONDS, TimeUnit.SECONDS)) {
        LOG.warn("the thread that waits for GPU errors does not end");
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
