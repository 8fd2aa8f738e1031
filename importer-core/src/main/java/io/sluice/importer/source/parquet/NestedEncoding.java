package io.sluice.importer.source.parquet;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.NameValidator;
import org.apache.avro.Schema;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.ColumnReader;
import org.apache.parquet.schema.GroupType;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.ListLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.MapKeyValueTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.MapLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.StringLogicalTypeAnnotation;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.Type;
import org.jspecify.annotations.Nullable;

/**
 * Builds the encoding of one field with groups: a record of a group, an array of a list, a map of a map whose keys are
 * strings. A map with other keys is an array of records of key and value. Rows are assembled from the columns' levels
 * as the Dremel paper (Melnik et al., 2010) describes; older forms of lists are read as Parquet's LogicalTypes.md says.
 */
final class NestedEncoding {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final MessageType rows;
    private final String typeName;
    private final List<ColumnDescriptor> leaves = new ArrayList<>();
    private int names;

    private NestedEncoding(MessageType rows, String typeName) {
        this.rows = rows;
        this.typeName = typeName;
    }

    /**
     * A type and how its values are written.
     *
     * @param schema Avro's type
     * @param first position among the leaves of the first one below; it tells whether there is a value
     * @param writer writes one value and moves all leaves below to their next one
     */
    private record Node(Schema schema, int first, ColumnEncoding.Writer writer) {}

    /** A place in the schema: the names down to a type, and the levels of its values. */
    private record Place(List<String> path, int definition, int repetition) {
        Place of(Type child) {
            List<String> longer = new ArrayList<>(path);
            longer.add(child.getName());
            boolean repeated = child.isRepetition(Type.Repetition.REPEATED);
            boolean required = child.isRepetition(Type.Repetition.REQUIRED);
            return new Place(longer, definition + (required ? 0 : 1), repetition + (repeated ? 1 : 0));
        }
    }

    /**
     * The encoding of a field; null if a type within it has no form.
     *
     * @param typeName begins the names of the types
     */
    static @Nullable ColumnEncoding of(Type field, MessageType rows, String typeName) {
        NestedEncoding encoding = new NestedEncoding(rows, typeName);
        Node node = encoding.field(field, new Place(List.of(), 0, 0));
        return node == null
                ? null
                : new ColumnEncoding(field.getName(), node.schema, encoding.leaves, node.writer, null);
    }

    private @Nullable Node field(Type type, Place parent) {
        Place place = parent.of(type);
        Node node = value(type, place);
        if (node == null || type.isRepetition(Type.Repetition.REQUIRED)) {
            return node;
        }
        return type.isRepetition(Type.Repetition.REPEATED) ? repeated(node, place) : optional(node, place);
    }

    /** A value that is there. */
    private @Nullable Node value(Type type, Place place) {
        if (type.isPrimitive()) {
            ColumnEncoding.Form form = ColumnEncoding.ofPrimitive(type.asPrimitiveType(), name());
            if (form == null) {
                return null;
            }
            int leaf = leaves.size();
            leaves.add(rows.getColumnDescription(place.path.toArray(new String[0])));
            return new Node(form.schema(), leaf, (from, to) -> {
                form.value().put(from[leaf], to);
                from[leaf].consume();
            });
        }
        GroupType group = type.asGroupType();
        LogicalTypeAnnotation logical = type.getLogicalTypeAnnotation();
        boolean one = group.getFieldCount() == 1 && group.getType(0).isRepetition(Type.Repetition.REPEATED);
        if (one && logical instanceof ListLogicalTypeAnnotation) {
            return list(group, place);
        }
        boolean map = logical instanceof MapLogicalTypeAnnotation || logical instanceof MapKeyValueTypeAnnotation;
        return one && map ? map(group.getType(0), place) : record(group, place);
    }

    private @Nullable Node list(GroupType list, Place place) {
        Type items = list.getType(0);
        boolean wrapped = !items.isPrimitive()
                && items.asGroupType().getFieldCount() == 1
                && !items.getName().equals("array")
                && !items.getName().equals(list.getName() + "_tuple");
        Place inItems = place.of(items);
        Node item = wrapped ? field(items.asGroupType().getType(0), inItems) : value(items, inItems);
        return item == null ? null : repeated(item, inItems);
    }

    private @Nullable Node map(Type entries, Place place) {
        Place inEntries = place.of(entries);
        boolean pairs = !entries.isPrimitive() && entries.asGroupType().getFieldCount() == 2;
        Type key = pairs ? entries.asGroupType().getType(0) : entries;
        boolean text = key.isPrimitive()
                && key.isRepetition(Type.Repetition.REQUIRED)
                && key.getLogicalTypeAnnotation() instanceof StringLogicalTypeAnnotation;
        if (!text) {
            Node item = value(entries, inEntries);
            return item == null ? null : repeated(item, inEntries);
        }
        Node name = field(key, inEntries);
        Node value = field(entries.asGroupType().getType(1), inEntries);
        if (name == null || value == null) {
            return null;
        }
        Node pair = new Node(value.schema, name.first, (from, to) -> {
            name.writer.put(from, to);
            value.writer.put(from, to);
        });
        return new Node(Schema.createMap(value.schema), name.first, repeated(pair, inEntries).writer);
    }

    private @Nullable Node record(GroupType group, Place place) {
        int first = leaves.size();
        ObjectNode json =
                JsonNodeFactory.instance.objectNode().put("type", "record").put("name", name());
        ArrayNode fields = json.putArray("fields");
        List<ColumnEncoding.Writer> writers = new ArrayList<>();
        for (Type type : group.getFields()) {
            Node node = field(type, place);
            if (node == null) {
                return null;
            }
            try {
                fields.addObject().put("name", type.getName()).set("type", JSON.readTree(node.schema.toString()));
            } catch (JsonProcessingException e) {
                throw new IllegalStateException("a schema is no JSON", e);
            }
            writers.add(node.writer);
        }
        if (leaves.size() == first) {
            return null;
        }
        // Names of fields need not be names of Avro.
        Schema schema = new Schema.Parser(NameValidator.NO_VALIDATION)
                .setValidateDefaults(false)
                .parse(json.toString());
        return new Node(schema, first, (from, to) -> {
            for (ColumnEncoding.Writer writer : writers) {
                writer.put(from, to);
            }
        });
    }

    private Node optional(Node value, Place place) {
        int end = leaves.size();
        Schema schema = Schema.createUnion(Schema.create(Schema.Type.NULL), value.schema);
        return new Node(schema, value.first, (from, to) -> {
            boolean there = isThere(from, value.first, end, place);
            to.putLong(there ? 1 : 0);
            if (there) {
                value.writer.put(from, to);
            } else {
                pass(from, value.first, end);
            }
        });
    }

    /** Blocks of one item each, and the end. */
    private Node repeated(Node item, Place place) {
        int end = leaves.size();
        return new Node(Schema.createArray(item.schema), item.first, (from, to) -> {
            if (isThere(from, item.first, end, place)) {
                do {
                    to.putLong(1);
                    item.writer.put(from, to);
                } while (isRepeated(from, item.first, end, place));
            } else {
                pass(from, item.first, end);
                if (isRepeated(from, item.first, end, place)) {
                    throw missing(from[item.first]);
                }
            }
            to.putLong(0);
        });
    }

    /** Whether a value is there, in which all leaves below must agree. */
    private static boolean isThere(ColumnReader[] from, int first, int end, Place place) {
        boolean there = from[first].getCurrentDefinitionLevel() >= place.definition;
        for (int i = first + 1; i < end; i++) {
            if (from[i].getCurrentDefinitionLevel() >= place.definition != there) {
                throw apart(from[first], from[i]);
            }
        }
        return there;
    }

    /** Whether another item follows, which is there, in which all leaves below must agree. */
    private static boolean isRepeated(ColumnReader[] from, int first, int end, Place place) {
        boolean repeated = from[first].getCurrentRepetitionLevel() >= place.repetition;
        for (int i = first + 1; i < end; i++) {
            if (from[i].getCurrentRepetitionLevel() >= place.repetition != repeated) {
                throw apart(from[first], from[i]);
            }
        }
        if (repeated && !isThere(from, first, end, place)) {
            throw missing(from[first]);
        }
        return repeated;
    }

    private static IllegalStateException missing(ColumnReader column) {
        return new IllegalStateException("the column "
                + String.join(".", column.getDescriptor().getPath()) + " repeats a value that is not there");
    }

    private static IllegalStateException apart(ColumnReader one, ColumnReader other) {
        return new IllegalStateException(
                "the columns " + String.join(".", one.getDescriptor().getPath()) + " and "
                        + String.join(".", other.getDescriptor().getPath()) + " have different numbers of values");
    }

    /** Moves leaves past the place of a value that is not there. */
    private static void pass(ColumnReader[] from, int first, int end) {
        for (int i = first; i < end; i++) {
            from[i].consume();
        }
    }

    private String name() {
        return typeName + "_" + names++;
    }
}
