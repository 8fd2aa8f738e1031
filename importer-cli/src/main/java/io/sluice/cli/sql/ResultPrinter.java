package io.sluice.cli.sql;

import com.fasterxml.jackson.core.JsonGenerator;
import io.sluice.cli.output.Json;
import io.sluice.cli.output.Output;
import io.sluice.cli.output.TextTable;
import io.sluice.grammar.RowSink;
import io.sluice.grammar.StatementResult;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Results as text or as lines of JSON, printed while rows come. In text what is no row goes to standard error, and the
 * first {@value #SAMPLE_ROWS} rows decide on the widths of columns.
 */
final class ResultPrinter implements RowSink {
    private static final String NULL = "NULL";
    private static final int SAMPLE_ROWS = 1_000;
    private static final long SAMPLE_CHARS = 1 << 20;

    private final boolean json;
    private final Output out;
    private final PrintStream err;
    /** The first rows of a result in text; null: there is none, or its widths are known. */
    private @Nullable TextTable first;

    private int @Nullable [] widths;
    private long sampled;
    /** Names of the columns in JSON until the first row or the end; then null. */
    private @Nullable List<String> columns;

    private boolean started;

    ResultPrinter(boolean json, Output out, PrintStream err) {
        this.json = json;
        this.out = out;
        this.err = err;
    }

    @Override
    public void columns(List<String> names) {
        if (json) {
            columns = names;
            started = false;
        } else if (!names.isEmpty()) {
            first = new TextTable(names.toArray(new String[0]));
            widths = null;
            sampled = 0;
        }
    }

    @Override
    public void row(List<@Nullable String> row) {
        if (json) {
            out.text(begun() + Json.line(generator -> array(generator, row)));
            return;
        }
        String[] cells = row.stream().map(text -> text == null ? NULL : text).toArray(String[]::new);
        if (widths != null) {
            out.line(TextTable.line(List.of(cells), widths).stripTrailing());
        } else if (first != null) {
            first.row(cells);
            sampled += 1
                    + row.stream()
                                    .mapToLong(text -> text == null ? 0 : text.length())
                                    .sum()
                            * SAMPLE_ROWS
                            / SAMPLE_CHARS;
            if (sampled >= SAMPLE_ROWS) {
                printFirst(first);
            }
        }
    }

    private void printFirst(TextTable rows) {
        widths = rows.widths();
        rows.lines().forEach(line -> out.line(line.stripTrailing()));
        first = null;
    }

    /** The text before the next row in JSON. */
    private String begun() {
        if (started) {
            return ",";
        }
        started = true;
        List<String> names = columns == null ? List.of() : columns;
        return "{\"columns\":" + Json.line(generator -> array(generator, names)) + ",\"rows\":[";
    }

    private static void array(JsonGenerator generator, List<? extends @Nullable String> texts) throws IOException {
        generator.writeStartArray();
        for (String text : texts) {
            generator.writeString(text);
        }
        generator.writeEndArray();
    }

    /** Prints a result, behind its rows, and lets it be seen at once. */
    void print(StatementResult result) {
        if (json) {
            json(result);
        } else {
            if (first != null) {
                printFirst(first);
            }
            text(result);
        }
        columns = null;
        started = false;
        widths = null;
        out.flush();
    }

    /** A statement that fails behind its first row has these rows and the error in one object. */
    private void json(StatementResult result) {
        if (result instanceof StatementResult.Returned && !started) {
            out.text(begun());
        }
        if (!started) {
            out.line(line(result));
        } else if (result instanceof StatementResult.Failed failed) {
            out.line("]," + Json.object(generator -> error(generator, failed)).substring(1));
        } else {
            out.line("]}");
        }
    }

    private void text(StatementResult result) {
        if (result instanceof StatementResult.Rows rows) {
            columns(rows.columns());
            rows.rows().forEach(this::row);
            if (first != null) {
                printFirst(first);
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

    private static void error(JsonGenerator generator, StatementResult.Failed failed) throws IOException {
        generator.writeObjectFieldStart("error");
        generator.writeStringField("code", failed.code().text());
        generator.writeStringField("message", failed.message());
        generator.writeEndObject();
    }

    private static String line(StatementResult result) {
        return Json.object(json -> {
            if (result instanceof StatementResult.Rows rows) {
                json.writeFieldName("columns");
                array(json, rows.columns());
                json.writeArrayFieldStart("rows");
                for (List<@Nullable String> row : rows.rows()) {
                    array(json, row);
                }
                json.writeEndArray();
            } else if (result instanceof StatementResult.Changed changed) {
                json.writeNumberField("count", changed.count());
                Json.numbers(json, "cascaded", new TreeMap<>(changed.cascaded()));
            } else if (result instanceof StatementResult.Done done) {
                json.writeStringField("done", done.what());
            } else if (result instanceof StatementResult.Failed failed) {
                error(json, failed);
            }
        });
    }
}
