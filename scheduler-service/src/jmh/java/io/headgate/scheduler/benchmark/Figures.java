package io.headgate.scheduler.benchmark;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.format.OutputFormat;

/// Measures the machine before and after each benchmark, and prints what came out as it comes.
final class Figures implements OutputFormat {
  private final OutputFormat progress;
  private final CpuLoop loop;
  private final List<Figure> figures;
  private CpuLoop.Speed before = new CpuLoop.Speed(0, 0);

  /// @param figures gets them
  Figures(OutputFormat progress, CpuLoop loop, List<Figure> figures) {
    this.progress = progress;
    this.loop = loop;
    this.figures = figures;
  }

  @Override
  public void startBenchmark(BenchmarkParams benchmark) {
    before = loop.measure();
    progress.startBenchmark(benchmark);
  }

  @Override
  public void endBenchmark(BenchmarkResult result) {
    progress.endBenchmark(result);
    if (result != null) {
      for (Figure figure : FigureReader.read(result, before.mean(loop.measure()))) {
        figures.add(figure);
        System.out.println(figure.json());
      }
    }
  }

  @Override
  public void iteration(BenchmarkParams benchmark, IterationParams params, int iteration) {
    progress.iteration(benchmark, params, iteration);
  }

  @Override
  public void iterationResult(
      BenchmarkParams benchmark, IterationParams params, int iteration, IterationResult result) {
    progress.iterationResult(benchmark, params, iteration, result);
  }

  @Override
  public void startRun() {
    progress.startRun();
  }

  @Override
  public void endRun(Collection<RunResult> results) {
    progress.endRun(results);
  }

  @Override
  public void print(String text) {
    progress.print(text);
  }

  @Override
  public void println(String text) {
    progress.println(text);
  }

  @Override
  public void flush() {
    progress.flush();
  }

  @Override
  public void close() {
    progress.close();
  }

  @Override
  public void verbosePrintln(String text) {
    progress.verbosePrintln(text);
  }

  @Override
  public void write(int value) {
    progress.write(value);
  }

  @Override
  public void write(byte[] bytes) throws IOException {
    progress.write(bytes);
  }
}
