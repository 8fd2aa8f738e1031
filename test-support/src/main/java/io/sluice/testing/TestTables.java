package io.sluice.testing;

import io.sluice.model.schema.Column;
import io.sluice.model.schema.ColumnType;
import io.sluice.model.schema.IndexColumn;
import io.sluice.model.schema.IndexColumn.Direction;
import io.sluice.model.schema.IndexDef;
import io.sluice.model.schema.IndexDef.Interleave;
import io.sluice.model.schema.TableDef;
import io.sluice.model.schema.TypeKind;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Tables and rows that the tests of the node import. */
public final class TestTables {
    private TestTables() {}

    /** {@code accounts(id PK, owner NULL, balance), UNIQUE by_owner(owner), by_balance(balance DESC)}. */
    public static TableDef accounts(String name) {
        return new TableDef(
                name,
                List.of(
                        column(1, "id", TypeKind.INT8, false),
                        column(2, "owner", TypeKind.STRING, true),
                        column(3, "balance", TypeKind.DECIMAL, false)),
                index(1, IndexDef.PRIMARY_NAME, true, null, asc(0)),
                List.of(
                        index(2, "by_owner", true, null, asc(1)),
                        index(3, "by_balance", false, null, new IndexColumn(2, Direction.DESC))),
                List.of());
    }

    /** Rows 1..n of accounts; every tenth has no owner, and balances repeat. */
    public static List<List<@Nullable String>> accountRows(int n) {
        List<List<@Nullable String>> rows = new ArrayList<>();
        for (int id = 1; id <= n; id++) {
            List<@Nullable String> row = new ArrayList<>();
            row.add(Integer.toString(id));
            row.add(id % 10 == 0 ? null : String.format("owner-%05d", id));
            row.add((id % 7) + ".50");
            rows.add(row);
        }
        return rows;
    }

    /** {@code customers(id PK, name)}. */
    public static TableDef customers() {
        return new TableDef(
                "customers",
                List.of(column(1, "id", TypeKind.INT8, false), column(2, "name", TypeKind.STRING, true)),
                index(1, IndexDef.PRIMARY_NAME, true, null, asc(0)),
                List.of(),
                List.of());
    }

    public static List<List<@Nullable String>> customerRows(int n) {
        List<List<@Nullable String>> rows = new ArrayList<>();
        for (int id = 1; id <= n; id++) {
            rows.add(List.of(Integer.toString(id), "customer " + id));
        }
        return rows;
    }

    /** {@code orders(customer, number, note, PK (customer, number)) INTERLEAVE IN PARENT customers (customer)}. */
    public static TableDef orders() {
        return new TableDef(
                "orders",
                List.of(
                        column(1, "customer", TypeKind.INT8, false),
                        column(2, "number", TypeKind.INT8, false),
                        column(3, "note", TypeKind.STRING, true)),
                index(1, IndexDef.PRIMARY_NAME, true, new Interleave("customers", 1), asc(0), asc(1)),
                List.of(),
                List.of());
    }

    /** Three orders for each of the customers 1..n. */
    public static List<List<@Nullable String>> orderRows(int n) {
        List<List<@Nullable String>> rows = new ArrayList<>();
        for (int id = 1; id <= n; id++) {
            for (int number = 1; number <= 3; number++) {
                rows.add(List.of(Integer.toString(id), Integer.toString(number), id + "/" + number));
            }
        }
        return rows;
    }

    private static Column column(int id, String name, TypeKind kind, boolean nullable) {
        return new Column(id, name, ColumnType.of(kind), nullable, false);
    }

    private static IndexColumn asc(int column) {
        return new IndexColumn(column, Direction.ASC);
    }

    private static IndexDef index(
            int id, String name, boolean unique, @Nullable Interleave interleave, IndexColumn... columns) {
        return new IndexDef(id, name, unique, List.of(columns), List.of(), interleave);
    }
}
