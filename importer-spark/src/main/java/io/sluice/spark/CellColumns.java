package io.sluice.spark;

import static org.apache.spark.sql.functions.concat;
import static org.apache.spark.sql.functions.hex;
import static org.apache.spark.sql.functions.lit;

import io.sluice.importer.decode.ColumnDefaults;
import io.sluice.model.error.BadInputException;
import io.sluice.model.schema.Column;
import io.sluice.model.schema.ColumnType;
import io.sluice.model.schema.TableDef;
import io.sluice.model.schema.TypeKind;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.FractionalType;
import org.apache.spark.sql.types.IntegralType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;

/**
 * The columns of a table that the cells of a converted DataFrame fill. Cells are texts that the table's parsers read,
 * as those of a CSV file, so that a value means the same from every source; but numbers for columns of whole or
 * floating ones, dates and timestamps are numbers.
 *
 * @param columns positions in the table
 * @param forms the form of each cell
 */
@SuppressWarnings("ArrayRecordComponent")
record CellColumns(int[] columns, Form[] forms) implements Serializable {
    /** The form of a cell in the converted DataFrame. */
    enum Form {
        TEXT,
        /** A whole number for a column of whole or floating numbers, of one byte. */
        BYTE,
        /** As {@link #BYTE}, of two bytes. */
        SHORT,
        /** As {@link #BYTE}, of four bytes. */
        INT,
        /** As {@link #BYTE}, of eight bytes. */
        LONG,
        /** A floating number for a column of such, of four bytes. */
        FLOAT,
        /** As {@link #FLOAT}, of eight bytes. */
        DOUBLE,
        /** A moment as a long: the microseconds since 1970. */
        MICROS,
        /** A timestamp without a zone as a long, as if it were in UTC. Spark's text has a sign after the year 9999. */
        LOCAL,
        /** A date as an int: the days since 1970. */
        DAYS
    }

    /**
     * Longest text that a sample leaves out, in characters. The sample counts each as a byte for each character that
     * its type allows, so that no range gets more bytes than planned.
     */
    private static final int SHORT_TEXT = 32;

    private static final Map<DataType, Form> NUMBERS = Map.of(
            DataTypes.ByteType, Form.BYTE,
            DataTypes.ShortType, Form.SHORT,
            DataTypes.IntegerType, Form.INT,
            DataTypes.LongType, Form.LONG,
            DataTypes.FloatType, Form.FLOAT,
            DataTypes.DoubleType, Form.DOUBLE);

    /**
     * Matches columns by name, ignoring case if that is unambiguous.
     *
     * @throws BadInputException naming every column that does not fit
     */
    static CellColumns of(Dataset<Row> data, TableDef table) {
        List<String> problems = new ArrayList<>();
        List<Integer> filled = new ArrayList<>();
        StructField[] fields = data.schema().fields();
        Form[] forms = new Form[fields.length];
        for (int i = 0; i < fields.length; i++) {
            int position = find(table, fields[i].name());
            if (position < 0) {
                problems.add("column " + fields[i].name() + ": table " + table.name() + " has none of that name");
                continue;
            }
            Column column = table.columns().get(position);
            if (filled.contains(position)) {
                problems.add("column " + fields[i].name() + ": another one fills column " + column.name() + " already");
            } else if (!kinds(fields[i].dataType()).contains(column.type().kind())) {
                problems.add("column " + fields[i].name() + ": "
                        + fields[i].dataType().sql() + " cannot fill "
                        + column.type().sql() + advice(fields[i].dataType()));
            }
            filled.add(position);
            forms[i] = form(fields[i].dataType(), column.type().kind());
        }
        ColumnDefaults.of(table, filled, problems);
        if (!problems.isEmpty()) {
            throw new BadInputException(
                    "the DataFrame does not fit table " + table.name() + ":\n" + String.join("\n", problems));
        }
        return new CellColumns(filled.stream().mapToInt(Integer::intValue).toArray(), forms);
    }

    private static Form form(DataType type, TypeKind of) {
        if (type instanceof TimestampType) {
            return Form.MICROS;
        }
        if (type instanceof TimestampNTZType && of == TypeKind.TIMESTAMP) {
            return Form.LOCAL;
        }
        if (type instanceof DateType && of == TypeKind.DATE) {
            return Form.DAYS;
        }
        boolean floating = of == TypeKind.FLOAT4 || of == TypeKind.FLOAT8;
        boolean whole = of == TypeKind.INT2 || of == TypeKind.INT4 || of == TypeKind.INT8;
        Form form = NUMBERS.getOrDefault(type, Form.TEXT);
        return floating || (whole && type instanceof IntegralType) ? form : Form.TEXT;
    }

    /** The cells that a sample reads: all but short texts that only the values of the primary index hold. */
    int[] sampled(TableDef table) {
        return IntStream.range(0, columns.length)
                .filter(i -> isSampled(table, columns[i]))
                .toArray();
    }

    /** Most characters of a row in the cells that a sample does not read. */
    long unsampledLength(TableDef table) {
        return Arrays.stream(columns)
                .filter(column -> !isSampled(table, column))
                .mapToLong(column -> table.columns().get(column).type().maxLength())
                .sum();
    }

    private static boolean isSampled(TableDef table, int column) {
        ColumnType type = table.columns().get(column).type();
        return type.kind() != TypeKind.STRING
                || type.maxLength() == 0
                || type.maxLength() > SHORT_TEXT
                || table.indexes().stream()
                        .anyMatch(index -> index.storing().contains(column)
                                || index.columns().stream().anyMatch(of -> of.column() == column));
    }

    /** Some of the cells. */
    CellColumns only(int[] cells) {
        return new CellColumns(
                Arrays.stream(cells).map(i -> columns[i]).toArray(),
                Arrays.stream(cells).mapToObj(i -> forms[i]).toArray(Form[]::new));
    }

    /** The columns of a DataFrame for some of the cells. */
    static Dataset<Row> only(int[] cells, Dataset<Row> data) {
        Dataset<Row> numbered = numbered(data);
        return numbered.select(
                Arrays.stream(cells).mapToObj(i -> numbered.col("_" + i)).toArray(org.apache.spark.sql.Column[]::new));
    }

    /** Whether the columns of a DataFrame have the forms of the cells already. */
    boolean areIn(Dataset<Row> data) {
        StructField[] fields = data.schema().fields();
        return IntStream.range(0, fields.length)
                .allMatch(i -> forms[i] != Form.TEXT || fields[i].dataType() instanceof StringType);
    }

    /** The DataFrame with its cells in their forms. */
    Dataset<Row> convert(Dataset<Row> data) {
        List<org.apache.spark.sql.Column> cells = new ArrayList<>();
        StructField[] fields = data.schema().fields();
        Dataset<Row> numbered = numbered(data);
        for (int i = 0; i < fields.length; i++) {
            org.apache.spark.sql.Column cell = numbered.col("_" + i);
            DataType type = fields[i].dataType();
            if (type instanceof BinaryType) {
                cell = concat(lit("\\x"), hex(cell));
            }
            cells.add(forms[i] == Form.TEXT ? cell.cast("string") : cell);
        }
        return numbered.select(cells.toArray(new org.apache.spark.sql.Column[0]));
    }

    /** The DataFrame with numbers as names; its names may hold dots, and may differ only in case. */
    private static Dataset<Row> numbered(Dataset<Row> data) {
        return data.toDF(
                IntStream.range(0, data.schema().size()).mapToObj(i -> "_" + i).toArray(String[]::new));
    }

    private static int find(TableDef table, String name) {
        int exact = table.columnIndex(name);
        if (exact >= 0 && !table.columns().get(exact).hidden()) {
            return exact;
        }
        List<Integer> alike = table.visibleColumns().stream()
                .filter(position -> table.columns().get(position).name().equalsIgnoreCase(name))
                .toList();
        return alike.size() == 1 ? alike.get(0) : -1;
    }

    /** Column types whose values a Spark type holds without loss. */
    private static Set<TypeKind> kinds(DataType type) {
        if (type instanceof StringType) {
            return EnumSet.allOf(TypeKind.class);
        }
        if (type instanceof BooleanType) {
            return EnumSet.of(TypeKind.BOOL, TypeKind.STRING);
        }
        if (type instanceof IntegralType) {
            return EnumSet.of(
                    TypeKind.INT2,
                    TypeKind.INT4,
                    TypeKind.INT8,
                    TypeKind.DECIMAL,
                    TypeKind.FLOAT4,
                    TypeKind.FLOAT8,
                    TypeKind.STRING);
        }
        if (type instanceof DecimalType decimal && decimal.scale() == 0) {
            return EnumSet.of(TypeKind.DECIMAL, TypeKind.INT2, TypeKind.INT4, TypeKind.INT8, TypeKind.STRING);
        }
        if (type instanceof DecimalType) {
            return EnumSet.of(TypeKind.DECIMAL, TypeKind.STRING);
        }
        if (type instanceof FractionalType) {
            return EnumSet.of(TypeKind.FLOAT4, TypeKind.FLOAT8, TypeKind.DECIMAL, TypeKind.STRING);
        }
        if (type instanceof BinaryType) {
            return EnumSet.of(TypeKind.BYTES);
        }
        if (type instanceof DateType) {
            return EnumSet.of(TypeKind.DATE, TypeKind.STRING);
        }
        if (type instanceof TimestampType) {
            return EnumSet.of(TypeKind.TIMESTAMPTZ);
        }
        if (type instanceof TimestampNTZType) {
            return EnumSet.of(TypeKind.TIMESTAMP, TypeKind.STRING);
        }
        return EnumSet.noneOf(TypeKind.class);
    }

    private static String advice(DataType type) {
        if (type instanceof TimestampType) {
            return "; it is a moment, for TIMESTAMPTZ: cast it to timestamp_ntz, or to string, in a time zone of your choice";
        }
        return "; cast it in the DataFrame, to a string if the text is what you want";
    }
}
