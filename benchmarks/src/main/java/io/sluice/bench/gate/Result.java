package io.sluice.bench.gate;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/**
 * Result of one node. Seconds count from the first SST offered; negative: not in time.
 *
 * @param node its letter
 * @param title what it is
 * @param arrival the SSTs and their waiting
 * @param tree the worst state of the tree
 * @param written the bytes written
 * @param reads the point reads during the import
 * @param verified what was checked afterwards
 * @param loadAverage of the machine at the end
 */
record Result(
        String node,
        String title,
        Arrival arrival,
        Tree tree,
        Written written,
        Reads reads,
        String verified,
        double loadAverage) {
    /**
     * The SSTs.
     *
     * @param ssts SSTs offered
     * @param taken SSTs taken before the time was up
     * @param importSeconds until the last SST was taken
     * @param quietSeconds until nothing was left to merge
     * @param longestWaitMillis longest time for which the node made one SST wait
     * @param waitedSeconds all that waiting
     * @param take time until an SST was taken, waiting included
     */
    record Arrival(
            int ssts,
            int taken,
            double importSeconds,
            double quietSeconds,
            double longestWaitMillis,
            double waitedSeconds,
            Quantiles take) {}

    /** Quantiles of a duration, in milliseconds. */
    record Quantiles(double p50, double p99, double max) {
        static Quantiles of(Latencies measured) {
            return new Quantiles(
                    measured.quantile(0.5) / 1e6, measured.quantile(0.99) / 1e6, measured.quantile(1) / 1e6);
        }
    }

    /**
     * The tree at its worst.
     *
     * @param tallest most files above each other over a key
     * @param mostLevel0 most files in level 0
     * @param mostFiles most files in the tree
     * @param drawing the tree at its tallest
     */
    record Tree(int tallest, int mostLevel0, int mostFiles, String drawing) {}

    /**
     * The bytes written.
     *
     * @param inputBytes length of all SSTs
     * @param amplification bytes written per byte that came, its own arrival counted once; negative: unknown
     * @param processBytes bytes this process wrote as the kernel counts them
     * @param metadataPuts metadata that came meanwhile
     */
    record Written(long inputBytes, double amplification, long processBytes, long metadataPuts) {}

    /**
     * The point reads.
     *
     * @param count number of reads
     * @param found those that found their key
     * @param millis their duration
     */
    record Reads(long count, long found, Quantiles millis) {}

    /** Results side by side: a column per node, a row per figure. */
    static final class Table {
        private final List<Result> results;
        private final List<List<String>> rows = new ArrayList<>();

        Table(List<Result> results) {
            this.results = results;
            row("", result -> "(" + result.node + ") " + result.title);
            row("SSTs taken", result -> result.arrival.taken + " of " + result.arrival.ssts);
            row("import done, s", result -> time(result.arrival.importSeconds));
            row("quiet, s", result -> time(result.arrival.quietSeconds));
            row("import against (a)", result -> ratio(result, each -> each.arrival.importSeconds));
            row("quiet against (a)", result -> ratio(result, each -> each.arrival.quietSeconds));
            row("longest stall of an SST, s", result -> number(result.arrival.longestWaitMillis / 1e3, 1));
            row("all stalls, s", result -> number(result.arrival.waitedSeconds, 1));
            row("tallest height", result -> Integer.toString(result.tree.tallest));
            row("most files in level 0", result -> Integer.toString(result.tree.mostLevel0));
            row("most files", result -> Integer.toString(result.tree.mostFiles));
            row(
                    "write amplification",
                    result -> result.written.amplification < 0 ? "-" : number(result.written.amplification, 2));
            row("written by the process, GB", result -> number(result.written.processBytes / 1e9, 2));
            row("ingest p50, ms", result -> number(result.arrival.take.p50, 1));
            row("ingest p99, ms", result -> number(result.arrival.take.p99, 1));
            row("ingest max, ms", result -> number(result.arrival.take.max, 0));
            row("read p50, us", result -> number(result.reads.millis.p50 * 1e3, 0));
            row("read p99, us", result -> number(result.reads.millis.p99 * 1e3, 0));
            row("reads (found)", result -> result.reads.count + " (" + result.reads.found + ")");
            row(
                    "metadata Puts",
                    result ->
                            result.written.metadataPuts == 0 ? "its own" : Long.toString(result.written.metadataPuts));
            row("load average", result -> number(result.loadAverage, 1));
            row("checked", Result::verified);
        }

        private void row(String name, Function<Result, String> figure) {
            List<String> row = new ArrayList<>(List.of(name));
            results.forEach(result -> row.add(figure.apply(result)));
            rows.add(row);
        }

        private static String time(double seconds) {
            return seconds < 0 ? "did not finish" : number(seconds, 1);
        }

        private static String number(double value, int digits) {
            return String.format(Locale.ROOT, "%." + digits + "f", value);
        }

        private String ratio(Result result, ToDoubleFunction<Result> seconds) {
            boolean stockFirst = results.get(0).node.equals(Candidate.STOCK.letter());
            double first = stockFirst ? seconds.applyAsDouble(results.get(0)) : -1;
            double own = seconds.applyAsDouble(result);
            return first < 0 || own < 0 ? "-" : number(own / first, 2);
        }

        /** For a document. */
        String markdown() {
            StringBuilder text = new StringBuilder();
            for (List<String> row : rows) {
                text.append("| ").append(String.join(" | ", row)).append(" |\n");
                if (row == rows.get(0)) {
                    text.append("|---|").append("---:|".repeat(results.size())).append('\n');
                }
            }
            return text.toString();
        }
    }
}
