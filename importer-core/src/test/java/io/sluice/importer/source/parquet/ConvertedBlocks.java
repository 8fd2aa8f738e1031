package io.sluice.importer.source.parquet;

import io.sluice.importer.source.ColumnBlocks;
import io.sluice.importer.source.OcfFraming;
import io.sluice.importer.source.OcfHeader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.DecoderFactory;
import org.jspecify.annotations.Nullable;

/** Reads the blocks of a converted file value by value, as their layout is described, without the decoder's code. */
final class ConvertedBlocks {
    private final Schema schema;
    private final List<List<List<@Nullable Object>>> blocks = new ArrayList<>();
    private final Set<String> dictionaries = new TreeSet<>();

    /** Reads a whole file, header and blocks. */
    ConvertedBlocks(byte[] file) throws IOException {
        int headerEnd = OcfFraming.UNKNOWN.firstRecordEnd(file, 0, file.length, false);
        byte[] head = Arrays.copyOf(file, headerEnd);
        OcfHeader header = OcfHeader.of(head, "rows.parquet");
        schema = new Schema.Parser().parse(new String(header.metadata().get("avro.schema"), StandardCharsets.UTF_8));
        OcfFraming framing = new OcfFraming(header.sync());
        for (int at = headerEnd; at < file.length; ) {
            int end = framing.firstRecordEnd(file, at, file.length, true);
            OcfFraming.Block block = Objects.requireNonNull(OcfFraming.block(file, at, end));
            blocks.add(rows(
                    ByteBuffer.wrap(file, block.dataFrom(), block.dataTo() - block.dataFrom())
                            .order(ByteOrder.LITTLE_ENDIAN),
                    block.records()));
            at = end;
        }
    }

    /** The rows of each block. */
    List<List<List<@Nullable Object>>> blocks() {
        return blocks;
    }

    /** The rows of all blocks. */
    List<List<@Nullable Object>> rows() {
        return blocks.stream().flatMap(List::stream).toList();
    }

    /** Names of the fields that have a dictionary in some block. */
    Set<String> dictionaries() {
        return dictionaries;
    }

    private List<List<@Nullable Object>> rows(ByteBuffer block, int count) throws IOException {
        List<List<@Nullable Object>> rows = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            rows.add(new ArrayList<>(Collections.nCopies(schema.getFields().size(), null)));
        }
        for (Schema.Field field : schema.getFields()) {
            byte nulls = block.get();
            int width = block.getInt();
            int length = block.getInt();
            ByteBuffer column = block.slice(block.position(), length).order(ByteOrder.LITTLE_ENDIAN);
            block.position(block.position() + length);
            List<Object> dictionary = new ArrayList<>();
            if (width == ColumnBlocks.DICTIONARY) {
                int valueWidth = column.getInt();
                int valueBytes = column.getInt();
                ByteBuffer values = column.slice(column.position(), valueBytes).order(ByteOrder.LITTLE_ENDIAN);
                column.position(column.position() + valueBytes);
                while (values.hasRemaining()) {
                    dictionary.add(value(field.schema(), valueWidth, values));
                }
                dictionaries.add(field.name());
            }
            byte[] there = new byte[count];
            if (nulls == ColumnBlocks.SOME) {
                column.get(there);
            } else {
                Arrays.fill(there, (byte) 1);
            }
            BinaryDecoder avro = DecoderFactory.get()
                    .binaryDecoder(column.array(), column.arrayOffset() + column.position(), column.remaining(), null);
            for (int i = 0; i < count; i++) {
                if (width == ColumnBlocks.AVRO) {
                    rows.get(i).set(field.pos(), plain(new GenericDatumReader<>(field.schema()).read(null, avro)));
                } else if (there[i] == 1) {
                    rows.get(i)
                            .set(
                                    field.pos(),
                                    width == ColumnBlocks.DICTIONARY
                                            ? dictionary.get(column.get() & 0xff)
                                            : value(field.schema(), width, column));
                }
            }
            if (width == ColumnBlocks.AVRO ? !avro.isEnd() : column.hasRemaining()) {
                throw new AssertionError("bytes stand behind the values of " + field.name());
            }
        }
        if (block.hasRemaining()) {
            throw new AssertionError("bytes stand behind the last column");
        }
        return rows;
    }

    private static Object value(Schema schema, int width, ByteBuffer column) {
        Schema type = schema.isUnion() ? schema.getTypes().get(1) : schema;
        return switch (type.getType()) {
            case INT -> column.getInt();
            case LONG -> width == Integer.BYTES ? (Object) (long) column.getInt() : (Object) column.getLong();
            case FLOAT -> column.getFloat();
            case DOUBLE -> column.getDouble();
            default -> {
                byte[] bytes = new byte[width == ColumnBlocks.LENGTHS ? column.getInt() : width];
                column.get(bytes);
                yield type.getType() == Schema.Type.STRING
                        ? new String(bytes, StandardCharsets.UTF_8)
                        : ByteBuffer.wrap(bytes);
            }
        };
    }

    private static @Nullable Object plain(@Nullable Object value) {
        if (value instanceof CharSequence text) {
            return text.toString();
        }
        if (value instanceof GenericData.Fixed fixed) {
            return ByteBuffer.wrap(fixed.bytes());
        }
        return value instanceof List<?> items ? new ArrayList<>(items) : value;
    }
}
