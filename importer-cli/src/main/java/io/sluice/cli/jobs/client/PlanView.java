package io.sluice.cli.jobs.client;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.cli.output.Printable;
import io.sluice.cli.output.TextTable;
import io.sluice.cli.progress.Units;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The plan of an import as a service made it, as a few lines for people. */
public final class PlanView {
    private PlanView() {}

    /** The lines. */
    public static List<String> lines(JsonNode plan) {
        JsonNode sample = plan.path("sample");
        List<String> lines = new ArrayList<>();
        lines.add(String.format(
                Locale.ROOT,
                "%s: %s%,d rows, %s of KVs, from %s of input; nothing was imported",
                Printable.line(plan.path("table").asText()),
                sample.path("whole").asBoolean() ? "" : "about ",
                plan.path("rows").asLong(),
                Units.bytes(plan.path("bytes").asDouble()),
                Units.bytes(plan.path("inputBytes").asDouble())));
        long rejects = sample.path("rejects").asLong();
        lines.add(String.format(
                Locale.ROOT,
                "  sample    %s, %,d rows%s",
                Units.bytes(sample.path("bytes").asDouble()),
                sample.path("rows").asLong(),
                rejects == 0 ? "" : String.format(Locale.ROOT, ", %,d bad rows among them", rejects)));
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
