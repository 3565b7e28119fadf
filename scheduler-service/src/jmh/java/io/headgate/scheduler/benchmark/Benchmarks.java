package io.headgate.scheduler.benchmark;

import java.util.ArrayList;
import java.util.List;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.format.OutputFormat;
import org.openjdk.jmh.runner.format.OutputFormatFactory;
import org.openjdk.jmh.runner.options.CommandLineOptionException;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;

/// Runs the benchmarks, prints each figure as one line of JSON, and then how the figures grow.
///
/// Takes JMH's options: `Decision -p nodes=1000`. Each JVM commits its whole heap at the start. On
/// a virtual machine, a round that grows into new memory can be 8 times slower than the next.
public final class Benchmarks {
  private Benchmarks() {}

  /// Runs them.
  public static void main(String[] arguments) throws CommandLineOptionException, RunnerException {
    Options options =
        new OptionsBuilder()
            .parent(new CommandLineOptions(arguments))
            .shouldFailOnError(true)
            .jvmArgsPrepend("-XX:+UseParallelGC", "-XX:+AlwaysPreTouch")
            .build();
    List<Figure> figures = new ArrayList<>();
    CpuLoop loop = new CpuLoop();
    loop.measure();
    OutputFormat output = OutputFormatFactory.createFormatInstance(System.err, VerboseMode.NORMAL);
    new Runner(options, new Figures(output, loop, figures)).run();
    Goals.growth(figures).forEach(System.out::println);
  }
}
