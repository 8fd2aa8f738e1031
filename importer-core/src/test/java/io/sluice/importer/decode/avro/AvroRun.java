package io.sluice.importer.decode.avro;

import io.sluice.importer.decode.Decoding;
import io.sluice.importer.decode.Reject;
import io.sluice.importer.decode.RejectLimit;
import io.sluice.importer.decode.RejectLog;
import io.sluice.importer.decode.RejectSink;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.source.InputFile;
import io.sluice.model.schema.TableDef;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * All that came out of decoding one file.
 *
 * @param rows every row as text, columns separated by {@code " | "}
 * @param positions where each row is
 * @param rejects as the decoder made them
 * @param log the rejects as they are written
 * @param lost how many records the rejects stand for
 */
record AvroRun(List<String> rows, List<Long> positions, List<Reject> rejects, String log, long lost) {
    static final int MAX_RECORD_BYTES = 1 << 20;

    static AvroRun of(Path file, InputFormat format, TableDef table, int splitBytes) {
        List<String> rows = new ArrayList<>();
        List<Long> positions = new ArrayList<>();
        List<Reject> rejects = new ArrayList<>();
        StringBuilder described = new StringBuilder();
        RejectSink sink = (input, header, line, reject) -> described
                .append(reject.place().unit().label())
                .append(' ')
                .append(line)
                .append(", ")
                .append(reject.problem().column())
                .append(", ")
                .append(reject.problem().code())
                .append(": ")
                .append(reject.problem().message())
                .append('\n')
                .append(new String(reject.record(), StandardCharsets.UTF_8))
                .append('\n');
        RejectLog log = new RejectLog(RejectLimit.UNLIMITED, sink);
        try {
            long unused = Decoding.run(
                    new InputFile(0, "input.avro", file, Files.size(file)),
                    format.framing(),
                    format.reading(splitBytes, MAX_RECORD_BYTES),
                    format.decoder(table, MAX_RECORD_BYTES),
                    log,
                    (row, position) -> {
                        rows.add(Decoding.text(row, table));
                        positions.add(position);
                    },
                    rejects::add);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
        return new AvroRun(rows, positions, rejects, described.toString(), log.count());
    }

    static Path resource(String name) {
        try {
            return Path.of(Objects.requireNonNull(AvroRun.class.getResource("/avro/" + name), name)
                    .toURI());
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException(name, e);
        }
    }
}
