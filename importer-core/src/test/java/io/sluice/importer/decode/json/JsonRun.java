package io.sluice.importer.decode.json;

import io.sluice.importer.decode.Decoding;
import io.sluice.importer.decode.RejectLimit;
import io.sluice.importer.decode.RejectLog;
import io.sluice.importer.decode.RejectSink;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.source.InputFile;
import io.sluice.model.schema.TableDef;
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
        try {
            long unused = Decoding.run(
                    new InputFile(0, "input.json", file, Files.size(file)),
                    format.framing(),
                    format.reading(splitBytes, MAX_RECORD_BYTES),
                    format.decoder(table, MAX_RECORD_BYTES),
                    new RejectLog(RejectLimit.UNLIMITED, sink),
                    (row, at) -> rows.add(Decoding.text(row, table)),
                    reject -> {});
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new JsonRun(rows, rejects, records);
    }
}
