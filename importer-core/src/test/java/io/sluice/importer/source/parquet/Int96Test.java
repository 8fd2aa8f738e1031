package io.sluice.importer.source.parquet;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.importer.decode.Decoding;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.source.InputFile;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.TableDef;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.parquet.column.ParquetProperties;
import org.apache.parquet.hadoop.ParquetFileWriter;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.MessageTypeParser;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Timestamps of 96 bits, whose days and nanoseconds need not be those of a time. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class Int96Test {
    private static final MessageType SCHEMA = MessageTypeParser.parseMessageType("message row { required int96 at; }");
    private static final TableDef TABLE =
            Ddl.parse("CREATE TABLE t (at TIMESTAMP)", "t").get(0);
    private static final int SPLIT_BYTES = 1 << 16;
    private static final int EPOCH = 2_440_588;

    @TempDir
    Path directory;

    @Test
    void timeThatMicrosecondsDoNotHoldIsAReject() throws IOException {
        List<List<@Nullable Object>> rows = List.of(
                List.of(int96(0, EPOCH)),
                List.of(int96(1_500, EPOCH)),
                List.of(int96(0, Integer.MAX_VALUE)),
                List.of(int96(0, Integer.MIN_VALUE)),
                // So many days are 2^64 microseconds less some hours.
                List.of(int96(0, EPOCH + 213_503_982)),
                List.of(int96(Long.MAX_VALUE, EPOCH)),
                List.of(int96(86_399_999_999_000L, EPOCH + 1)));
        Path file = directory.resolve("at.parquet");
        try (ParquetFileWriter out = RowBatchTest.writer(file, SCHEMA)) {
            out.start();
            out.startBlock(rows.size());
            RowBatchTest.writeColumns(
                    out, SCHEMA, rows, ParquetProperties.builder().build());
            out.endBlock();
            out.end(Map.of());
        }
        List<String> read = new ArrayList<>();
        InputFormat format = InputFormat.Avro.containers(false);
        Decoding.run(
                new InputFile(0, "at.parquet", file, Files.size(file)),
                format.framing(),
                format.reading(SPLIT_BYTES, SPLIT_BYTES),
                format.decoder(TABLE, SPLIT_BYTES),
                (row, offset) -> read.add(Decoding.text(row, TABLE)),
                reject -> read.add(reject.problem().code()));
        assertEquals(
                List.of(
                        "1970-01-01 00:00:00",
                        "1970-01-01 00:00:00.000002",
                        "out_of_range",
                        "out_of_range",
                        "out_of_range",
                        "out_of_range",
                        "1970-01-02 23:59:59.999999"),
                read);
    }

    private static ByteBuffer int96(long nanos, int day) {
        return ByteBuffer.allocate(12)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(nanos)
                .putInt(day)
                .flip();
    }
}
