package io.sluice.importer.decode.avro;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.function.Function;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericFixed;
import org.apache.avro.generic.GenericRecord;
import org.jspecify.annotations.Nullable;

/** Random schemas, the tables that fit them, and records; with what the library read back, in words of the JDK's. */
final class RandomAvro {
    private static final int SCALE = 3;

    /**
     * One field.
     *
     * @param schema its type, without null
     * @param sql its column's type; null: it has no column
     * @param value makes values
     * @param text what Sluice prints for a value that the library has read
     */
    record Kind(Schema schema, @Nullable String sql, Function<Random, Object> value, Function<Object, String> text) {}

    /** The ways in which a field may be null. */
    private enum Nulls {
        NONE,
        FIRST,
        LAST
    }

    private final Random random;
    private final Schema schema;
    private final List<Kind> kinds = new ArrayList<>();
    private final List<Nulls> nulls = new ArrayList<>();

    RandomAvro(Random random) {
        this.random = random;
        int fields = 1 + random.nextInt(8);
        List<Schema.Field> list = new ArrayList<>();
        list.add(new Schema.Field("k", Schema.create(Schema.Type.LONG)));
        for (int i = 0; i < fields; i++) {
            Kind kind = kind("f" + i);
            Nulls where = Nulls.values()[random.nextInt(3)];
            kinds.add(kind);
            nulls.add(where);
            Schema none = Schema.create(Schema.Type.NULL);
            Schema type =
                    switch (where) {
                        case NONE -> kind.schema;
                        case FIRST -> Schema.createUnion(none, kind.schema);
                        case LAST -> Schema.createUnion(kind.schema, none);
                    };
            list.add(new Schema.Field("f" + i, type));
        }
        schema = Schema.createRecord("r", null, "test", false, list);
    }

    Schema schema() {
        return schema;
    }

    String columns() {
        StringBuilder sql = new StringBuilder("k INT8 PRIMARY KEY");
        for (int i = 0; i < kinds.size(); i++) {
            if (kinds.get(i).sql != null) {
                sql.append(", f").append(i).append(' ').append(kinds.get(i).sql);
            }
        }
        return sql.toString();
    }

    GenericRecord record(long key) {
        GenericRecord record = new GenericData.Record(schema);
        record.put("k", key);
        for (int i = 0; i < kinds.size(); i++) {
            boolean isNull = nulls.get(i) != Nulls.NONE && random.nextInt(4) == 0;
            record.put("f" + i, isNull ? null : kinds.get(i).value.apply(random));
        }
        return record;
    }

    /** The row that a record is, as {@link AvroRun} prints it. */
    String text(GenericRecord record) {
        List<String> slots = new ArrayList<>();
        slots.add(String.valueOf(record.get("k")));
        for (int i = 0; i < kinds.size(); i++) {
            Object value = record.get("f" + i);
            if (kinds.get(i).sql != null) {
                slots.add(value == null ? "NULL" : kinds.get(i).text.apply(value));
            }
        }
        return String.join(" | ", slots);
    }

    private static Schema of(Schema.Type type) {
        return Schema.create(type);
    }

    private Kind kind(String name) {
        return switch (random.nextInt(20)) {
            case 0 -> new Kind(of(Schema.Type.BOOLEAN), "BOOL", Random::nextBoolean, String::valueOf);
            case 1 -> new Kind(of(Schema.Type.INT), "INT4", RandomAvro::anyInt, String::valueOf);
            case 2 -> new Kind(of(Schema.Type.LONG), "INT8", RandomAvro::anyLong, String::valueOf);
            case 3 -> new Kind(of(Schema.Type.INT), "DECIMAL", RandomAvro::anyInt, String::valueOf);
            case 4 -> new Kind(of(Schema.Type.FLOAT), "FLOAT4", r -> (float) r.nextInt(1000) / 8, RandomAvro::number);
            case 5 -> new Kind(of(Schema.Type.DOUBLE), "FLOAT8", r -> r.nextInt(1000) / 8.0, RandomAvro::number);
            case 6 -> new Kind(of(Schema.Type.STRING), "STRING", RandomAvro::string, String::valueOf);
            case 7 -> new Kind(of(Schema.Type.STRING), "INT8", r -> String.valueOf(r.nextInt()), String::valueOf);
            case 8 ->
                new Kind(of(Schema.Type.BYTES), "BYTES", r -> ByteBuffer.wrap(bytes(r, r.nextInt(9))), value -> {
                    ByteBuffer buffer = (ByteBuffer) value;
                    byte[] copy = new byte[buffer.remaining()];
                    buffer.duplicate().get(copy);
                    return "\\x" + HexFormat.of().formatHex(copy);
                });
            case 9 -> decimal(LogicalTypes.decimal(38, SCALE).addToSchema(of(Schema.Type.BYTES)), 0);
            case 10 -> decimal(LogicalTypes.decimal(38, SCALE).addToSchema(fixedType(name, 17)), 17);
            case 11 ->
                new Kind(
                        LogicalTypes.date().addToSchema(of(Schema.Type.INT)),
                        "DATE",
                        r -> r.nextInt(100_000) - 50_000,
                        value -> LocalDate.ofEpochDay((int) value).toString());
            case 12 ->
                new Kind(
                        LogicalTypes.timeMillis().addToSchema(of(Schema.Type.INT)),
                        "TIME",
                        r -> r.nextInt(86_400_000),
                        value -> ExpectedText.time(LocalTime.ofNanoOfDay((int) value * 1_000_000L)));
            case 13 ->
                new Kind(
                        LogicalTypes.timeMicros().addToSchema(of(Schema.Type.LONG)),
                        "TIME",
                        r -> (long) (r.nextDouble() * 86_400_000_000L),
                        value -> ExpectedText.time(LocalTime.ofNanoOfDay((long) value * 1_000L)));
            case 14 -> timestamp(LogicalTypes.timestampMicros(), "TIMESTAMPTZ", 1_000_000, "+00");
            case 15 -> timestamp(LogicalTypes.localTimestampMillis(), "TIMESTAMP", 1_000, "");
            case 16 -> {
                Schema type = Schema.createEnum(name + "_e", null, "test", List.of("A", "BB", "CCC"));
                yield new Kind(
                        type,
                        "STRING(3)",
                        r -> new GenericData.EnumSymbol(
                                type, type.getEnumSymbols().get(r.nextInt(3))),
                        String::valueOf);
            }
            case 17 -> {
                Schema type = fixedType(name, 16);
                yield new Kind(type, "UUID", r -> new GenericData.Fixed(type, bytes(r, 16)), value -> {
                    ByteBuffer buffer = ByteBuffer.wrap(((GenericFixed) value).bytes());
                    return new UUID(buffer.getLong(), buffer.getLong()).toString();
                });
            }
            case 18 ->
                skipped(Schema.createArray(Schema.createMap(of(Schema.Type.STRING))), r -> {
                    List<Map<String, String>> items = new ArrayList<>();
                    for (int i = r.nextInt(4); i > 0; i--) {
                        items.add(r.nextBoolean() ? Map.of() : Map.of("a", string(r), "b", string(r)));
                    }
                    return items;
                });
            default -> {
                Schema inner = Schema.createRecord(name + "_n", null, "test", false);
                inner.setFields(List.of(
                        new Schema.Field("x", of(Schema.Type.DOUBLE)),
                        new Schema.Field("next", Schema.createUnion(of(Schema.Type.NULL), inner))));
                yield skipped(inner, r -> nested(inner, r, r.nextInt(4)));
            }
        };
    }

    private static Kind skipped(Schema type, Function<Random, Object> value) {
        return new Kind(type, null, value, String::valueOf);
    }

    private static GenericRecord nested(Schema type, Random r, int depth) {
        GenericRecord record = new GenericData.Record(type);
        record.put("x", r.nextDouble());
        record.put("next", depth == 0 ? null : nested(type, r, depth - 1));
        return record;
    }

    private static Schema fixedType(String name, int size) {
        return Schema.createFixed(name + "_t", null, "test", size);
    }

    private static Kind decimal(Schema type, int size) {
        Function<Random, Object> value = r -> {
            BigInteger unscaled = new BigInteger(r.nextInt(120), r);
            byte[] bytes = (r.nextBoolean() ? unscaled.negate() : unscaled).toByteArray();
            if (size == 0) {
                return ByteBuffer.wrap(bytes);
            }
            byte[] padded = new byte[size];
            java.util.Arrays.fill(padded, bytes[0] < 0 ? (byte) -1 : 0);
            System.arraycopy(bytes, 0, padded, size - bytes.length, bytes.length);
            return new GenericData.Fixed(type, padded);
        };
        Function<Object, String> text = read -> {
            byte[] bytes = read instanceof GenericFixed fixed ? fixed.bytes() : ((ByteBuffer) read).array();
            return new BigDecimal(new BigInteger(bytes), SCALE).toString();
        };
        return new Kind(type, "DECIMAL(38," + SCALE + ")", value, text);
    }

    private static Kind timestamp(org.apache.avro.LogicalType type, String sql, int ticksPerSecond, String zone) {
        return new Kind(
                type.addToSchema(of(Schema.Type.LONG)),
                sql,
                r -> (long) ((r.nextDouble() - 0.5) * 8e9 * ticksPerSecond),
                value -> {
                    long seconds = Math.floorDiv((long) value, ticksPerSecond);
                    int nanos = (int) (Math.floorMod((long) value, ticksPerSecond) * (1_000_000_000L / ticksPerSecond));
                    return ExpectedText.timestamp(LocalDateTime.ofEpochSecond(seconds, nanos, ZoneOffset.UTC)) + zone;
                });
    }

    private static Object anyInt(Random r) {
        return r.nextInt() >> r.nextInt(32);
    }

    private static Object anyLong(Random r) {
        return r.nextLong() >> r.nextInt(64);
    }

    private static String number(Object value) {
        BigDecimal exact = new BigDecimal(((Number) value).doubleValue());
        return exact.signum() == 0 ? "0" : exact.stripTrailingZeros().toPlainString();
    }

    private static String string(Random r) {
        StringBuilder text = new StringBuilder();
        for (int i = r.nextInt(20); i > 0; i--) {
            text.appendCodePoint(r.nextInt(5) == 0 ? 0x4e00 + r.nextInt(100) : 'a' + r.nextInt(26));
        }
        return text.toString();
    }

    private static byte[] bytes(Random r, int length) {
        byte[] bytes = new byte[length];
        r.nextBytes(bytes);
        return bytes;
    }
}
