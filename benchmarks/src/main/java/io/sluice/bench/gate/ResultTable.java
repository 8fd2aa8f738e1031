package io.sluice.bench.gate;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/** Results side by side: a column per node, a row per figure. */
final class ResultTable {
    private final List<Result> results;
    private final List<List<String>> rows = new ArrayList<>();

    ResultTable(List<Result> results) {
        this.results = results;
        row("", result -> "(" + result.node() + ") " + result.title());
        row("SSTs taken", result -> result.taken() + " of " + result.ssts());
        row("import done, s", result -> time(result.importSeconds()));
        row("quiet, s", result -> time(result.quietSeconds()));
        row("import against (a)", result -> ratio(result, Result::importSeconds));
        row("quiet against (a)", result -> ratio(result, Result::quietSeconds));
        row("longest stall of an SST, s", result -> number(result.longestWaitMillis() / 1e3, 1));
        row("all stalls, s", result -> number(result.waitedSeconds(), 1));
        row("tallest height", result -> Integer.toString(result.tallest()));
        row("most files in level 0", result -> Integer.toString(result.mostLevel0()));
        row("most files", result -> Integer.toString(result.mostFiles()));
        row(
                "write amplification",
                result -> result.writeAmplification() < 0 ? "-" : number(result.writeAmplification(), 2));
        row("written by the process, GB", result -> number(result.processBytes() / 1e9, 2));
        row("ingest p50, ms", result -> number(result.takeP50Millis(), 1));
        row("ingest p99, ms", result -> number(result.takeP99Millis(), 1));
        row("ingest max, ms", result -> number(result.takeMaxMillis(), 0));
        row("read p50, us", result -> number(result.readP50Micros(), 0));
        row("read p99, us", result -> number(result.readP99Micros(), 0));
        row("reads (found)", result -> result.reads() + " (" + result.readsFound() + ")");
        row("metadata Puts", result -> result.metadataPuts() == 0 ? "its own" : Long.toString(result.metadataPuts()));
        row("load average", result -> number(result.loadAverage(), 1));
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

    private String ratio(Result result, Function<Result, Double> seconds) {
        double first = results.get(0).node().equals(Candidate.STOCK.letter()) ? seconds.apply(results.get(0)) : -1;
        double own = seconds.apply(result);
        return first < 0 || own < 0 ? "-" : number(own / first, 2);
    }

    /** Padded with blanks. */
    String text() {
        int[] widths = new int[results.size() + 1];
        for (List<String> row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        StringBuilder text = new StringBuilder();
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < widths.length; i++) {
                String cell = row.get(i);
                line.append(cell).append(" ".repeat(widths[i] - cell.length() + 2));
            }
            text.append(line.toString().stripTrailing()).append('\n');
        }
        return text.toString();
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
