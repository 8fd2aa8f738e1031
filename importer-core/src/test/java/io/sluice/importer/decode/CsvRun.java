package io.sluice.importer.decode;

import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.source.InputFile;
import io.sluice.model.row.Row;
import io.sluice.model.schema.Column;
import io.sluice.model.text.DatumFormatter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Function;

/**
 * All that came out of decoding one file, as text, so that two runs can be compared and their difference be read.
 *
 * @param rows every row: its byte offset and all its slots
 * @param rejects every reject as the decoder made it, with all its fields
 * @param log the rejects as {@link RejectLog} passes them on, with lines of the file
 * @param lines what the decoder counted, all splits together
 */
record CsvRun(List<String> rows, List<String> rejects, String log, long lines) {
    /** Decodes a file whole or in splits. */
    static CsvRun of(Path file, CsvFormat format, Function<CsvFormat, SplitDecoder> decoders, int splitBytes)
            throws IOException {
        InputFile input = new InputFile(0, "input.csv", file, Files.size(file));
        List<String> rows = new ArrayList<>();
        List<String> rejects = new ArrayList<>();
        StringBuilder written = new StringBuilder();
        RejectLog log =
                new RejectLog(RejectLimit.UNLIMITED, (from, header, line, reject) -> written.append("file line ")
                        .append(line)
                        .append(", of split: ")
                        .append(text(reject).replaceFirst("line \\d+, ", ""))
                        .append('\n'));
        InputFormat csv = new InputFormat.Csv(format.dialect(), null);
        long lines = Decoding.run(
                input,
                csv.framing(),
                csv.reading(splitBytes, format.maxRecordBytes()),
                decoders.apply(format),
                log,
                (row, offset) -> rows.add(offset + ": " + text(row, format)),
                reject -> rejects.add(text(reject)));
        return new CsvRun(rows, rejects, written.toString(), lines);
    }

    private static String text(Row row, CsvFormat format) {
        List<String> slots = new ArrayList<>();
        List<Column> columns = format.table().columns();
        for (int i = 0; i < columns.size(); i++) {
            String datum = DatumFormatter.format(row, i, columns.get(i).type());
            slots.add(datum == null ? "NULL" : row.form(i) + " '" + datum + "'");
        }
        return String.join(", ", slots);
    }

    private static String text(Reject reject) {
        return "line " + reject.place().line() + ", byte " + reject.place().byteOffset() + ", "
                + reject.problem().field() + " " + reject.problem().column()
                + ", "
                + reject.problem().code() + ", " + reject.problem().message() + ", "
                + HexFormat.of().formatHex(reject.record()) + (reject.cut() ? " cut" : "");
    }

    /** The run without what depends on where splits were cut. */
    CsvRun withoutSplits() {
        return new CsvRun(rows, List.of(), log, lines);
    }
}
