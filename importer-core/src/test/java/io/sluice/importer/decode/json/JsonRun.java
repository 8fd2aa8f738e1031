package io.sluice.importer.decode.json;

import io.sluice.importer.decode.RejectLimit;
import io.sluice.importer.decode.RejectLog;
import io.sluice.importer.decode.RejectSink;
import io.sluice.importer.decode.SplitDecoder;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.source.InputFile;
import io.sluice.importer.source.Split;
import io.sluice.importer.source.SplitSource;
import io.sluice.model.row.Row;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.TableDef;
import io.sluice.model.text.DatumFormatter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Rows and rejects of one decoded file.
 *
 * @param rows every row as text, columns separated by {@code " | "}
 * @param rejects every reject as {@code line, column, code: message}
 * @param records the kept text of every reject
 */
record JsonRun(List<String> rows, List<String> rejects, List<String> records) {
    static final int MAX_RECORD_BYTES = 1 << 16;

    static JsonRun of(Path file, boolean array, JsonMembers members, TableDef table, int splitBytes) {
        List<String> rows = new ArrayList<>();
        List<String> rejects = new ArrayList<>();
        List<String> records = new ArrayList<>();
        RejectSink sink = (input, header, line, reject) -> {
            rejects.add(line + ", " + reject.problem().column() + ", "
                    + reject.problem().code() + ": " + reject.problem().message());
            records.add(new String(reject.record(), StandardCharsets.UTF_8));
        };
        InputFormat format = new InputFormat.Json(array, members);
        try (SplitSource source = new SplitSource(
                List.of(new InputFile(0, "input.json", file, Files.size(file))),
                format.framing(),
                format.reading(splitBytes, MAX_RECORD_BYTES))) {
            RejectLog log = new RejectLog(RejectLimit.UNLIMITED, sink);
            SplitDecoder decoder = format.decoder(table, MAX_RECORD_BYTES);
            Split split = new Split(splitBytes);
            while (source.next(split)) {
                RejectLog.SplitRejects splitRejects = log.split(split);
                splitRejects.finish(decoder.decode(split, (row, at) -> rows.add(text(row, table)), splitRejects));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new JsonRun(rows, rejects, records);
    }

    static String text(Row row, TableDef table) {
        List<String> slots = new ArrayList<>();
        for (int i : table.visibleColumns()) {
            String datum = DatumFormatter.format(row, i, table.columns().get(i).type());
            slots.add(datum == null ? "NULL" : datum);
        }
        return String.join(" | ", slots);
    }

    static TableDef table(String columns) {
        return Ddl.parse("CREATE TABLE t (" + columns + ");", "test").get(0);
    }
}
