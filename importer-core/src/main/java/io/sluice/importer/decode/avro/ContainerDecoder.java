package io.sluice.importer.decode.avro;

import io.sluice.importer.decode.Reject;
import io.sluice.importer.decode.RowConsumer;
import io.sluice.importer.decode.SplitDecoder;
import io.sluice.importer.source.InputFile;
import io.sluice.importer.source.OcfFraming;
import io.sluice.importer.source.OcfFraming.Block;
import io.sluice.importer.source.OcfHeader;
import io.sluice.importer.source.Split;
import io.sluice.model.error.BadInputException;
import io.sluice.model.row.Row;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.avro.Schema;
import org.jspecify.annotations.Nullable;

/**
 * Decodes object container files, block by block. Positions of rows are their numbers in the file, from 0: in a
 * compressed block a record has no byte offset. A record whose values do not fit is one reject; reading continues with
 * the next record. Bytes that are not a record make the rest of their block unreadable. That is one reject, which
 * counts all lost records of the block.
 */
public final class ContainerDecoder implements SplitDecoder {
    /** Rows that are read field by field: 32 of some 20 columns stay in the first cache of a processor. */
    private static final int BATCH_ROWS = 32;

    private final AvroFormat format;
    private final AvroRejects avroRejects;
    private final BlockReader blocks = new BlockReader();
    private final AvroInput in = new AvroInput();
    private final Row[] batch = new Row[BATCH_ROWS];
    /** A row that is read alone. */
    private final Row row;

    private @Nullable ContainerFile file;

    public ContainerDecoder(AvroFormat format) {
        this.format = format;
        avroRejects = new AvroRejects(format.table());
        Arrays.setAll(batch, i -> new Row(format.table().columns().size()));
        row = batch[0];
    }

    /** Decodes a split; returns how many records its blocks and those skipped before it say they have. */
    @Override
    public long decode(Split split, RowConsumer rows, Consumer<Reject> rejects) {
        ContainerFile open = fileOf(split);
        byte[] buffer = split.buffer();
        long records = split.linesSkipped();
        int at = split.start();
        while (at < split.end()) {
            int next = open.framing().firstRecordEnd(buffer, at, split.end(), true);
            Block block = OcfFraming.block(buffer, at, next);
            long said = block == null ? 1 : block.records();
            if (block != null && open.framing().endsWell(buffer, block, next)) {
                block(open, split, at, block, records, rows, rejects);
            } else {
                rejects.accept(AvroRejects.ofBytes(
                        records, said, split.fileOffset(at), badFrame(split, at, next, block), buffer, at, next));
            }
            records += said;
            at = next;
        }
        return records;
    }

    private ContainerFile fileOf(Split split) {
        ContainerFile known = file;
        if (known == null || !split.file().equals(known.file())) {
            known = ContainerFile.of(split, format);
            file = known;
        }
        return known;
    }

    private static String badFrame(Split split, int from, int to, @Nullable Block block) {
        String said = block == null
                ? "its number of records or of bytes is impossible"
                : "it says that it has " + block.records() + " records and ends at byte "
                        + split.fileOffset(block.dataTo()) + ", but no sync marker is there";
        String next = split.oversized()
                ? "; there is none in " + OcfFraming.MAX_BLOCK_BYTES + " bytes, and reading went on behind the next"
                : "; all up to byte " + split.fileOffset(to) + " is passed over";
        return "is in the block at byte " + split.fileOffset(from) + ", which is malformed or cut off: " + said + next;
    }

    /** Decodes a block whose frame is good. */
    private void block(
            ContainerFile open,
            Split split,
            int blockAt,
            Block block,
            long firstRow,
            RowConsumer rows,
            Consumer<Reject> rejects) {
        ColumnBlock columns = open.columns();
        boolean plain = open.codec() == BlockReader.Codec.NULL;
        int done = 0;
        try {
            if (columns != null) {
                columns.open(split.buffer(), block.dataFrom(), block.dataTo(), block.records());
            } else if (plain) {
                in.reset(split.buffer(), block.dataFrom(), block.dataTo());
            } else {
                blocks.read(open.codec(), split.buffer(), block.dataFrom(), block.dataTo());
                in.reset(blocks.buffer(), 0, blocks.length());
            }
            long position = split.firstRecord() + firstRow - split.linesSkipped();
            int oneByOneTo = 0;
            for (; done < block.records(); done++) {
                if (columns != null && done >= oneByOneTo) {
                    int count = Math.min(BATCH_ROWS, block.records() - done);
                    if (batch(columns, open.layout(), count, position + done, rows)) {
                        done += count - 1;
                        continue;
                    }
                    oneByOneTo = done + count;
                }
                int start = in.at;
                row.clear();
                AvroInput refused = columns != null ? columns.read(open.layout(), row) : record(open.layout());
                if (refused == null) {
                    rows.row(row, position + done);
                    continue;
                }
                byte[] record = columns != null ? columns.record() : Arrays.copyOfRange(in.buffer, start, in.at);
                rejects.accept(avroRejects.ofValues(
                        Reject.Unit.ROW,
                        firstRow + done,
                        split.fileOffset(plain ? start : blockAt),
                        refused,
                        open.converted()
                                ? open.placeOfRow(position + done)
                                : " (record " + (done + 1) + " of the block at byte " + split.fileOffset(blockAt) + ")",
                        AvroRejects.json(open.schema(), record, 0, record.length)));
            }
            if (columns != null) {
                columns.end();
            } else if (in.at != in.end) {
                throw new MalformedDatum((in.end - in.at) + " bytes stand behind its last record");
            }
        } catch (MalformedDatum e) {
            long lost = (long) block.records() - done;
            String message = "is record " + (done + 1) + " of the block at byte " + split.fileOffset(blockAt)
                    + ", which is malformed: " + e.problem()
                    + (lost > 1 ? "; the other " + (lost - 1) + " records behind it are lost with it" : "");
            rejects.accept(AvroRejects.ofBytes(
                    firstRow + done,
                    lost,
                    split.fileOffset(blockAt),
                    message,
                    split.buffer(),
                    blockAt,
                    block.dataTo()));
        }
    }

    /** Hands on the next rows of a block that has its values by column; returns false if one must be refused. */
    private boolean batch(ColumnBlock columns, AvroLayout layout, int count, long position, RowConsumer rows) {
        for (int i = 0; i < count; i++) {
            batch[i].clear();
        }
        if (!columns.readAll(layout, batch, count)) {
            return false;
        }
        for (int i = 0; i < count; i++) {
            rows.row(batch[i], position + i);
        }
        return true;
    }

    /** Reads the next record; returns the input with its problem, or null. */
    private @Nullable AvroInput record(AvroLayout layout) throws MalformedDatum {
        in.seek(in.at);
        layout.read(in, row);
        return in.problem() == null ? null : in;
    }

    /**
     * The header of a file, resolved against the table.
     *
     * @param file the file
     * @param schema of the writer
     * @param codec of the blocks
     * @param framing finds the ends of blocks
     * @param layout plan from records to rows
     * @param columns reads blocks that have their values by column; null for others
     * @param groupRows of a file that was converted from Parquet, the number of rows of each row group; else null
     */
    @SuppressWarnings("ArrayRecordComponent") // it is not compared
    private record ContainerFile(
            InputFile file,
            Schema schema,
            BlockReader.Codec codec,
            OcfFraming framing,
            AvroLayout layout,
            @Nullable ColumnBlock columns,
            long @Nullable [] groupRows) {
        /** Whether the blocks are not those of the stored file. */
        boolean converted() {
            return groupRows != null;
        }

        /** The place of a row in its row group, in words; nothing if the file has one group. */
        String placeOfRow(long row) {
            long[] groups = Objects.requireNonNull(groupRows);
            long left = row;
            int group = 0;
            while (group < groups.length - 1 && left >= groups[group]) {
                left -= groups[group++];
            }
            return groups.length == 1 ? "" : " (row " + (left + 1) + " of row group " + (group + 1) + ")";
        }

        /**
         * Reads the header that comes with a split.
         *
         * @throws BadInputException when the file cannot be read with this table
         */
        static ContainerFile of(Split split, AvroFormat format) {
            String name = split.file().name();
            byte[] bytes = split.header();
            if (bytes == null) {
                throw new BadInputException(name + ": the Avro header is longer than " + OcfFraming.MAX_RECORD_BYTES
                        + " bytes; is it an Avro file?");
            }
            OcfHeader header = OcfHeader.of(bytes, name);
            Schema schema = AvroSchemas.ofFile(header, name);
            BlockReader.Codec codec = BlockReader.Codec.of(header, name);
            return new ContainerFile(
                    split.file(),
                    schema,
                    codec,
                    new OcfFraming(header.sync()),
                    AvroLayout.of(format, schema, format.schema(), name),
                    codec == BlockReader.Codec.COLUMNS ? new ColumnBlock(schema) : null,
                    groupRows(header.metadata().get(OcfHeader.CONVERTED)));
        }

        private static long @Nullable [] groupRows(byte @Nullable [] numbers) {
            if (numbers == null) {
                return null;
            }
            String text = new String(numbers, StandardCharsets.US_ASCII);
            try {
                return Stream.of(text.split(",")).mapToLong(Long::parseLong).toArray();
            } catch (NumberFormatException e) {
                // An Avro file may have such metadata of its own.
                return null;
            }
        }
    }
}
