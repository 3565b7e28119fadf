package io.headgate.agent.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.testing.Needed;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Jobs that have no wall but the filter of system calls: root's, which the kernel refuses nothing
/// by itself.
class SyscallFilterTest {
  private static final Path TRY_CALLS =
      Path.of(System.getProperty("headgate.test.fakes"), "try-calls");

  @TempDir Path root;

  private SupervisedJob job(boolean filtered) throws Exception {
    return new SupervisedJob(root)
        .walls(
            new Walls(
                OptionalInt.empty(),
                Walls.Namespaces.NONE,
                Walls.FileSystem.NONE,
                List.of(),
                new Walls.Fence.Absent(),
                false,
                filtered,
                List.of(),
                Walls.Limits.NONE));
  }

  private List<String> tryCalls(boolean filtered) throws Exception {
    try (SupervisedJob job = job(filtered)) {
      job.run(TRY_CALLS.toString());
      assertThat(job.awaitEnd().exitCode()).hasValue(0);
      return job.output().lines().toList();
    }
  }

  /// The calls that the filter must refuse.
  private static List<String> refused(List<String> said) {
    return said.subList(0, said.indexOf("-"));
  }

  @Test
  void refusesWhatNoJobHasAUseFor() throws Exception {
    List<String> said = tryCalls(true);
    assertThat(refused(said))
        .hasSizeGreaterThan(40)
        .contains("mount EPERM", "unshare-user EPERM", "clone-user EPERM", "bpf EPERM")
        .as("a job cannot leave the project by which its disk space is limited")
        .contains("set-project EPERM", "set-flags EPERM", "file_setattr EPERM")
        .allMatch(line -> line.endsWith(" EPERM"));
    assertThat(said.subList(refused(said).size() + 1, said.size()))
        .contains("unshare-files done", "clone-plain done", "unix-pair done", "inet done")
        .contains("netlink done", "ask-personality done", "fixed-addresses done")
        .contains("readable-is-executable EPERM")
        .as("C libraries make their threads by clone() then")
        .contains("clone3 ENOSYS", "younger ENOSYS", "skipped ENOSYS")
        .contains("vsock EAFNOSUPPORT", "alg EAFNOSUPPORT", "packet EAFNOSUPPORT")
        .contains("tipc-pair EAFNOSUPPORT");
  }

  @Test
  void killsJobsThatUseCallNumbersOfAnotherArchitecture() throws Exception {
    // Others have no second set of numbers.
    Needed.AMD64.demand(System.getProperty("os.arch").equals("amd64"));
    assertThat(tryCalls(true)).contains("x32 SIGSYS", "i386 SIGSYS");
  }

  @Test
  void isWhatRefusesIt() throws Exception {
    NeededWalls.demand(root);
    List<String> said = tryCalls(false);
    assertThat(refused(said)).noneMatch(line -> line.endsWith(" EPERM"));
    assertThat(said)
        .contains("clone3 EINVAL", "readable-is-executable done")
        .noneMatch(line -> line.contains("SIGSYS"));
  }

  @Test
  void letsProgramsDoWhatTheyDo() throws Exception {
    try (SupervisedJob job =
        job(true)
            .run(
                """
                exec /usr/bin/python3 -c '
                import ctypes, mmap, multiprocessing, os, signal, socket, subprocess, threading
                from concurrent.futures import ThreadPoolExecutor
                from multiprocessing import shared_memory

                with ThreadPoolExecutor(8) as pool:
                  print("threads", sum(pool.map(lambda n: n * n, range(100))))
                print("programs", subprocess.run(["sh", "-c", "echo a | tr a b"],
                      capture_output=True, text=True).stdout.strip())
                with multiprocessing.get_context("fork").Pool(2) as pool:
                  print("processes", pool.map(abs, [-1, -2]))

                server = socket.create_server(("127.0.0.1", 0))
                threading.Thread(target=lambda: server.accept()[0].sendall(b"hello")).start()
                print("network", socket.create_connection(server.getsockname()).recv(5).decode())
                print("addresses", socket.getaddrinfo("localhost", 80)[0][0] in
                      (socket.AF_INET, socket.AF_INET6))

                memory = mmap.mmap(-1, 1 << 28)
                memory.madvise(mmap.MADV_HUGEPAGE)
                memory[1 << 27] = 7
                shared = shared_memory.SharedMemory(create=True, size=1 << 20)
                shared.buf[0] = 7
                print("memory", memory[1 << 27], shared.buf[0], os.memfd_create("m") > 0)
                shared.close()
                shared.unlink()

                # As a debugger does, and as libraries pass the memory of GPUs on.
                libc = ctypes.CDLL(None, use_errno=True)
                child = os.fork()
                if child == 0:
                  libc.ptrace(0, 0, None, None)
                  os.kill(os.getpid(), signal.SIGSTOP)
                  os._exit(3)
                stopped = os.WIFSTOPPED(os.waitpid(child, 0)[1])
                taken = libc.syscall(438, os.pidfd_open(child), 1, 0)
                libc.ptrace(7, child, None, None)
                print("debugger", stopped, taken > 0, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
                '
                """)) {
      assertThat(job.awaitEnd().exitCode()).hasValue(0);
      assertThat(job.output().lines())
          .containsExactly(
              "threads 328350",
              "programs b",
              "processes [1, 2]",
              "network hello",
              "addresses True",
              "memory 7 7 True",
              "debugger True True 3");
    }
  }
}
