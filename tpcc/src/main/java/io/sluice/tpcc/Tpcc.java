package io.sluice.tpcc;

import io.sluice.model.error.BadInputException;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.TableDef;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The nine tables of TPC-C (clause 1.3), each with its rows as clause 4.3.3.1 populates them and its DDL. */
public enum Tpcc {
    STOCK,
    ITEM,
    WAREHOUSE,
    DISTRICT,
    CUSTOMER,
    HISTORY,
    NEW_ORDER,
    ORDERS,
    ORDER_LINE;

    /** Separates the sequences that orders and order lines share from those of the tables. */
    private static final int SHARED_SEQUENCES = 64;

    private static final int XOR_FOR_ORDER = 0x5eed;

    /**
     * The table of this name, in any case.
     *
     * @throws BadInputException when TPC-C has none
     */
    public static Tpcc named(String name) {
        for (Tpcc table : values()) {
            if (table.sqlName().equals(name.toLowerCase(Locale.ROOT))) {
                return table;
            }
        }
        throw new BadInputException("TPC-C has no table " + name + "; its tables are "
                + Arrays.stream(values()).map(Tpcc::sqlName).collect(Collectors.joining(", ")));
    }

    String sqlName() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Writes all rows as CSV, or as an Avro container file.
     *
     * @param seed rows depend on it and on their number only
     * @param shuffled whether the rows come in a random order
     * @param avroCodec the codec of the Avro file; null for CSV
     * @param workers threads that make rows
     * @param out the caller closes it
     * @throws BadInputException when the codec is unknown
     */
    public void write(
            TpccSize size, long seed, boolean shuffled, @Nullable String avroCodec, int workers, OutputStream out)
            throws IOException {
        TpccTable rows = table(size, seed);
        Permutation order = shuffled ? new Permutation(rows.rows(), SplitMix64.mix(seed(seed) ^ XOR_FOR_ORDER)) : null;
        RowChunks chunks = new RowChunks(rows, order, seed(seed), workers);
        if (avroCodec == null) {
            chunks.writeTo(out);
            return;
        }
        try (OutputStream avro = AvroRows.open(tableDef(), out, avroCodec, seed)) {
            chunks.writeTo(avro);
        }
    }

    /** The seed of this table's rows, different from that of the other tables. */
    long seed(long seed) {
        return SplitMix64.mix(SplitMix64.mix(seed) + name().hashCode());
    }

    TpccTable table(TpccSize size, long seed) {
        return new TpccTable(this, size, new LineCounts(SplitMix64.mix(seed ^ SHARED_SEQUENCES)), seed(seed));
    }

    /** The table that {@link #ddl} declares. */
    public TableDef tableDef() {
        return Ddl.parse(ddl(), sqlName()).get(0);
    }

    /** The CREATE TABLE statement. */
    public String ddl() {
        String resource = sqlName() + ".sql";
        try (InputStream in = Tpcc.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalStateException("the program lacks its resource " + resource);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
