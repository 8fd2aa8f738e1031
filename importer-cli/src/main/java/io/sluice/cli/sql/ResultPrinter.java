package io.sluice.cli.sql;

import io.sluice.cli.output.Json;
import io.sluice.cli.output.Output;
import io.sluice.cli.output.TextTable;
import io.sluice.grammar.StatementResult;
import java.io.PrintStream;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Results as text or as lines of JSON. In text what is no row goes to standard error. */
final class ResultPrinter {
    private static final String NULL = "NULL";

    private final boolean json;
    private final Output out;
    private final PrintStream err;

    ResultPrinter(boolean json, Output out, PrintStream err) {
        this.json = json;
        this.out = out;
        this.err = err;
    }

    /** Prints a result, and lets it be seen at once. */
    void print(StatementResult result) {
        if (json) {
            out.line(line(result));
        } else {
            text(result);
        }
        out.flush();
    }

    private void text(StatementResult result) {
        if (result instanceof StatementResult.Rows rows) {
            if (!rows.columns().isEmpty()) {
                TextTable table = new TextTable(rows.columns().toArray(new String[0]));
                rows.rows()
                        .forEach(row -> table.row(row.stream()
                                .map(text -> text == null ? NULL : text)
                                .toArray(String[]::new)));
                table.lines().forEach(line -> out.line(line.stripTrailing()));
            }
        } else if (result instanceof StatementResult.Changed changed) {
            String others = new TreeMap<>(changed.cascaded())
                    .entrySet().stream()
                            .map(each -> each.getValue() + " of " + each.getKey())
                            .collect(Collectors.joining(", "));
            err.println(changed.count() + (changed.count() == 1 ? " row" : " rows") + " changed"
                    + (others.isEmpty() ? "" : ", and with them " + others));
        } else if (result instanceof StatementResult.Done done) {
            err.println(done.what());
        } else if (result instanceof StatementResult.Failed failed) {
            err.println("sluice: " + failed.code().text() + ": " + failed.message());
        }
    }

    private static String line(StatementResult result) {
        return Json.object(json -> {
            if (result instanceof StatementResult.Rows rows) {
                json.writeArrayFieldStart("columns");
                for (String column : rows.columns()) {
                    json.writeString(column);
                }
                json.writeEndArray();
                json.writeArrayFieldStart("rows");
                for (List<@Nullable String> row : rows.rows()) {
                    json.writeStartArray();
                    for (String text : row) {
                        json.writeString(text);
                    }
                    json.writeEndArray();
                }
                json.writeEndArray();
            } else if (result instanceof StatementResult.Changed changed) {
                json.writeNumberField("count", changed.count());
                json.writeObjectFieldStart("cascaded");
                for (var each : new TreeMap<>(changed.cascaded()).entrySet()) {
                    json.writeNumberField(each.getKey(), each.getValue());
                }
                json.writeEndObject();
            } else if (result instanceof StatementResult.Done done) {
                json.writeStringField("done", done.what());
            } else if (result instanceof StatementResult.Failed failed) {
                json.writeObjectFieldStart("error");
                json.writeStringField("code", failed.code().text());
                json.writeStringField("message", failed.message());
                json.writeEndObject();
            }
        });
    }
}
