package io.sluice.cli.workload;

import io.sluice.api.error.BadInputException;
import io.sluice.api.schema.Ddl;
import io.sluice.api.schema.TableDef;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** The nine tables of TPC-C (clause 1.3), each with its rows as clause 4.3.3.1 populates them and its DDL. */
enum Tpcc {
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

    static Tpcc named(String name) {
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

    /** The seed of this table's rows, different from that of the other tables. */
    long seed(long seed) {
        return SplitMix64.mix(SplitMix64.mix(seed) + name().hashCode());
    }

    TpccTable table(TpccSize size, long seed) {
        LineCounts lines = new LineCounts(SplitMix64.mix(seed ^ SHARED_SEQUENCES));
        return switch (this) {
            case STOCK -> new Stock(size);
            case ITEM -> new Item(size);
            case WAREHOUSE -> new Warehouse(size);
            case DISTRICT -> new District(size);
            case CUSTOMER -> new Customer(size);
            case HISTORY -> new History(size);
            case NEW_ORDER -> new NewOrder(size);
            case ORDERS -> new Orders(size, lines, seed(seed));
            case ORDER_LINE -> new OrderLine(size, lines);
        };
    }

    /** The table that {@link #ddl} declares. */
    TableDef tableDef() {
        return Ddl.parse(ddl(), sqlName()).get(0);
    }

    /** The CREATE TABLE statement. */
    String ddl() {
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
