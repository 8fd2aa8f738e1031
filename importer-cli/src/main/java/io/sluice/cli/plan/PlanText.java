package io.sluice.cli.plan;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.cli.output.Printable;
import io.sluice.cli.output.TextTable;
import io.sluice.cli.progress.Units;
import io.sluice.importer.job.Forecast;
import io.sluice.importer.job.Forecast.IndexSize;
import io.sluice.importer.job.Forecast.Outcome;
import io.sluice.importer.job.ImportSettings.Mode;
import io.sluice.sampler.ImportPlan;
import io.sluice.sampler.InputSample;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The plan of an import, as a few lines for people. */
public final class PlanText {
    private PlanText() {}

    /** The lines for people. */
    static List<String> lines(ImportPlan plan) {
        InputSample sample = plan.sample();
        Forecast forecast = plan.forecast();
        int nodes = plan.nodes();
        List<String> lines = new ArrayList<>();
        lines.add(String.format(
                Locale.ROOT,
                "%s: %s%s, %s of KVs, from %s of input",
                plan.table(),
                sample.whole() ? "" : "about ",
                Units.number(sample.rows(), "row"),
                Units.bytes((double) forecast.bytes()),
                Units.bytes((double) sample.seen().totalBytes())));
        lines.add(String.format(
                Locale.ROOT,
                "  sample    %s, %s%s",
                Units.bytes((double) sample.seen().bytes()),
                Units.number(sample.seen().rows(), "row"),
                sample.seen().rejects() == 0
                        ? ""
                        : ", " + Units.number(sample.seen().rejects(), "bad row") + " among them"));
        lines.add("  mode      " + plan.choice().mode().label() + ": "
                + plan.choice().why());
        lines.add("  split     "
                + (nodes == 1
                        ? "none, one node holds everything"
                        : Units.plain(nodes - 1, "key") + " per index, "
                                + Units.bytes((double) forecast.bytes() / nodes) + " for each of " + nodes + " nodes"));
        lines.add("");
        TextTable indexes = new TextTable("index", "KVs", "bytes", "order");
        for (IndexSize index : sample.indexes()) {
            indexes.row(
                    index.index(),
                    String.format(Locale.ROOT, "%,d", index.kvs()),
                    Units.bytes((double) index.bytes()),
                    order(index));
        }
        lines.addAll(indexes.lines());
        lines.add("");
        TextTable modes = new TextTable("mode", "SSTs", "small (Puts)", "tallest", "local disk", "node disk");
        for (Mode mode : Mode.values()) {
            Outcome outcome = forecast.of(mode);
            modes.row(
                    mode.label(),
                    String.format(Locale.ROOT, "%,d", outcome.ssts()),
                    String.format(Locale.ROOT, "%,d", outcome.smallSsts()),
                    String.format(Locale.ROOT, "%,d", outcome.height()),
                    Units.bytes((double) outcome.localBytes()),
                    Units.bytes((double) outcome.nodeBytes()));
        }
        lines.addAll(modes.lines());
        return lines;
    }

    private static String order(IndexSize index) {
        return index.ordered() ? "in order" : String.format(Locale.ROOT, "%.0f%% overlap", 100 * index.overlap());
    }

    /** The lines of a plan that a service made. */
    public static List<String> lines(JsonNode plan) {
        JsonNode sample = plan.path("sample");
        List<String> lines = new ArrayList<>();
        lines.add(String.format(
                Locale.ROOT,
                "%s: %s%s, %s of KVs, from %s of input; nothing was imported",
                Printable.line(plan.path("table").asText()),
                sample.path("whole").asBoolean() ? "" : "about ",
                Units.number(plan.path("rows").asLong(), "row"),
                Units.bytes(plan.path("bytes").asDouble()),
                Units.bytes(plan.path("inputBytes").asDouble())));
        long rejects = sample.path("rejects").asLong();
        lines.add(String.format(
                Locale.ROOT,
                "  sample    %s, %s%s",
                Units.bytes(sample.path("bytes").asDouble()),
                Units.number(sample.path("rows").asLong(), "row"),
                rejects == 0 ? "" : ", " + Units.number(rejects, "bad row") + " among them"));
        lines.add("  mode      " + Printable.line(plan.path("mode").asText()) + ": "
                + Printable.line(plan.path("modeWhy").asText()));
        TextTable indexes = new TextTable("index", "KVs", "bytes");
        for (JsonNode index : plan.path("indexes")) {
            indexes.row(
                    Printable.line(index.path("index").asText()),
                    String.format(Locale.ROOT, "%,d", index.path("kvs").asLong()),
                    Units.bytes(index.path("bytes").asDouble()));
        }
        lines.add("");
        lines.addAll(indexes.lines());
        return lines;
    }
}
