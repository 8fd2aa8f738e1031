package io.sluice.cli.export;

import io.sluice.cli.output.RowView;
import io.sluice.cli.output.RowView.Format;
import io.sluice.model.error.BadInputException;
import io.sluice.model.row.Row;
import io.sluice.model.schema.TableDef;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes one line of UTF-8 per row: CSV, whose texts may have line ends in quotes, or JSON lines. */
final class TextWriter implements RowWriter {
    /** The longest record that an import reads. */
    private static final int MOST_BYTES = 4 << 20;

    private final RowView view;
    private final Format format;
    private final OutputStream out;
    private final @Nullable FormatLimits limits;

    private TextWriter(RowView view, Format format, OutputStream out, @Nullable FormatLimits limits) {
        this.view = view;
        this.format = format;
        this.out = out;
        this.limits = limits;
    }

    static TextWriter csv(TableDef def, List<Integer> columns, OutputStream out) throws IOException {
        TextWriter writer = new TextWriter(new RowView(def, columns), Format.CSV, out, null);
        writer.line(writer.view.csvHeader());
        return writer;
    }

    static TextWriter jsonLines(TableDef def, List<Integer> columns, OutputStream out) {
        FormatLimits limits = new FormatLimits(def, columns, ExportFormat.JSONL);
        return new TextWriter(new RowView(def, columns), Format.JSON, out, limits);
    }

    @Override
    public void write(List<@Nullable String> datums, Row row) throws IOException {
        if (limits != null) {
            limits.check(row, datums);
        }
        for (String line : view.lines(datums, format)) {
            line(line);
        }
    }

    private void line(String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length >= MOST_BYTES) {
            throw new BadInputException("a row takes " + bytes.length + " bytes as text, and an import reads at most "
                    + MOST_BYTES + " per record; use --format avro");
        }
        out.write(bytes);
        out.write('\n');
    }

    @Override
    public void finish() {}

    @Override
    public void close() {}
}
