package io.sluice.importer.decode.avro;

import java.util.IdentityHashMap;
import java.util.List;
import org.apache.avro.Schema;

/**
 * Readers that skip fields that no column takes. One instance serves one writer schema.
 *
 * <p>The work is bounded by the number of bytes: values without bytes are skipped without counting. So neither an array
 * of 2^62 nulls nor nested empty records take time.
 */
final class Skips {
    private static final FieldReader NOTHING = (in, row) -> {};

    private final IdentityHashMap<Schema, Boolean> empty = new IdentityHashMap<>();
    private final IdentityHashMap<Schema, RecordSkip> records = new IdentityHashMap<>();

    /** The reader that passes over values of a schema. */
    FieldReader of(Schema schema) {
        if (isEmpty(schema)) {
            return NOTHING;
        }
        return switch (schema.getType()) {
            case NULL -> NOTHING;
            case BOOLEAN -> (in, row) -> in.readBoolean();
            case INT -> (in, row) -> in.readInt();
            case LONG -> (in, row) -> in.readLong();
            case FLOAT -> (in, row) -> in.skip(Float.BYTES);
            case DOUBLE -> (in, row) -> in.skip(Double.BYTES);
            case STRING, BYTES -> (in, row) -> in.skip(in.readLength());
            case FIXED -> {
                int size = schema.getFixedSize();
                yield (in, row) -> in.skip(size);
            }
            case ENUM -> {
                int symbols = schema.getEnumSymbols().size();
                yield (in, row) -> in.readIndex(symbols, "an enum");
            }
            case UNION -> union(schema);
            case ARRAY -> items(schema.getElementType(), false);
            case MAP -> items(schema.getValueType(), true);
            case RECORD -> record(schema);
        };
    }

    /** Whether values of a schema have no bytes. */
    boolean isEmpty(Schema schema) {
        return switch (schema.getType()) {
            case NULL -> true;
            case FIXED -> schema.getFixedSize() == 0;
            case RECORD -> {
                Boolean known = empty.get(schema);
                if (known == null) {
                    // A record within itself is taken for one with bytes: nothing else could end it.
                    empty.put(schema, false);
                    known = schema.getFields().stream().allMatch(field -> isEmpty(field.schema()));
                    empty.put(schema, known);
                }
                yield known;
            }
            default -> false;
        };
    }

    private FieldReader union(Schema schema) {
        FieldReader[] branches = all(schema.getTypes());
        return (in, row) -> {
            in.enter();
            branches[in.readIndex(branches.length, "a union")].read(in, row);
            in.leave();
        };
    }

    /** Blocks of items, each with its number of items before it, and its bytes if that is negative; 0 ends them. */
    private FieldReader items(Schema item, boolean keyed) {
        boolean hasBytes = keyed || !isEmpty(item);
        FieldReader skipItem = of(item);
        return (in, row) -> {
            in.enter();
            for (long count = in.readLong(); count != 0; count = in.readLong()) {
                if (count < 0) {
                    in.skip(in.readLong());
                    continue;
                }
                for (long i = 0; hasBytes && i < count; i++) {
                    if (keyed) {
                        in.skip(in.readLength());
                    }
                    skipItem.read(in, row);
                }
            }
            in.leave();
        };
    }

    private FieldReader record(Schema schema) {
        RecordSkip known = records.get(schema);
        if (known == null) {
            known = new RecordSkip();
            records.put(schema, known);
            known.fields =
                    all(schema.getFields().stream().map(Schema.Field::schema).toList());
        }
        return known;
    }

    private FieldReader[] all(List<Schema> schemas) {
        return schemas.stream().map(this::of).toArray(FieldReader[]::new);
    }

    /** A record that may contain itself: its fields come after it was made. */
    private static final class RecordSkip implements FieldReader {
        private FieldReader[] fields = {};

        @Override
        public void read(AvroInput in, io.sluice.model.row.Row row) throws MalformedDatum {
            in.enter();
            for (FieldReader field : fields) {
                field.read(in, row);
            }
            in.leave();
        }
    }
}
