package io.sluice.tpcc;

/** The rows of one table, each a function of its number. Immutable, usable by many threads. */
final class TpccTable {
    private static final int DISTRICTS = TpccSize.DISTRICTS_PER_WAREHOUSE;
    private static final byte[] MIDDLE = CsvBuffer.ascii("OE");
    private static final byte[] BAD_CREDIT = CsvBuffer.ascii("BC");
    private static final byte[] GOOD_CREDIT = CsvBuffer.ascii("GC");

    /** A last name has three of them, one for each digit of a number below 1,000 (clause 4.3.2.3). */
    private static final byte[][] SYLLABLES = {
        CsvBuffer.ascii("BAR"), CsvBuffer.ascii("OUGHT"), CsvBuffer.ascii("ABLE"), CsvBuffer.ascii("PRI"),
        CsvBuffer.ascii("PRES"), CsvBuffer.ascii("ESE"), CsvBuffer.ascii("ANTI"), CsvBuffer.ascii("CALLY"),
        CsvBuffer.ascii("ATION"), CsvBuffer.ascii("EING")
    };

    /** The run-time constant C of NURand (clause 2.1.6); any number in [0, 255] will do for a load. */
    private static final int NURAND_C = 157;

    /** 2020-01-01 00:00:00 UTC. TPC-C takes the clock's time; these times repeat. */
    private static final long BEGIN_MICROS = 1_577_836_800L * 1_000_000L;

    private static final int MICROS_PER_SECOND = 1_000_000;

    private final Tpcc table;
    private final TpccSize size;
    private final LineCounts lines;
    private final long seed;

    /**
     * @param lines the number of lines of each order
     * @param seed of this table
     */
    TpccTable(Tpcc table, TpccSize size, LineCounts lines, long seed) {
        this.table = table;
        this.size = size;
        this.lines = lines;
        this.seed = seed;
    }

    /** The number of rows. */
    long rows() {
        return switch (table) {
            case STOCK -> (long) size.warehouses() * size.items();
            case ITEM -> size.items();
            case WAREHOUSE -> size.warehouses();
            case DISTRICT -> size.districts();
            case CUSTOMER, HISTORY, ORDERS -> size.customers();
            case NEW_ORDER -> size.districts() * size.newOrdersPerDistrict();
            case ORDER_LINE -> lines.ofFirst(size.customers());
        };
    }

    /** No row is longer, its newline included. */
    int maxRowBytes() {
        return switch (table) {
            case STOCK -> 384;
            case ITEM, HISTORY -> 128;
            case WAREHOUSE -> 140;
            case DISTRICT -> 172;
            case CUSTOMER -> 768;
            case NEW_ORDER -> 48;
            case ORDERS -> 96;
            case ORDER_LINE -> 160;
        };
    }

    /**
     * Appends one row.
     *
     * @param row its number, from 0
     * @param random started at this row
     */
    void write(long row, SplitMix64 random, CsvBuffer out) {
        switch (table) {
            case STOCK -> stock(row, random, out);
            case ITEM -> item(row, random, out);
            case WAREHOUSE -> warehouse(row, random, out);
            case DISTRICT -> district(row, random, out);
            case CUSTOMER -> customer(row, random, out);
            case HISTORY -> history(row, random, out);
            case NEW_ORDER -> newOrder(row, out);
            case ORDERS -> order(row, random, out);
            case ORDER_LINE -> orderLine(row, random, out);
        }
        out.endRow();
    }

    /** 100,000 rows and about 30.6 MB a warehouse, in the order of the primary key. */
    private void stock(long row, SplitMix64 random, CsvBuffer out) {
        out.number(row % size.items() + 1); // s_i_id
        out.number(row / size.items() + 1); // s_w_id
        out.number(random.between(10, 100)); // s_quantity
        for (int district = 0; district < DISTRICTS; district++) {
            out.alphanumeric(random, 24); // s_dist_01 .. s_dist_10
        }
        out.number(0); // s_ytd
        out.number(0); // s_order_cnt
        out.number(0); // s_remote_cnt
        out.originalData(random); // s_data
    }

    /** The items of all warehouses; their number does not depend on the number of warehouses. */
    private static void item(long row, SplitMix64 random, CsvBuffer out) {
        out.number(row + 1); // i_id
        out.number(random.between(1, 10_000)); // i_im_id
        out.alphanumeric(random, 14, 24); // i_name
        out.decimal(random.between(100, 10_000), 2); // i_price
        out.originalData(random); // i_data
    }

    private static void warehouse(long row, SplitMix64 random, CsvBuffer out) {
        out.number(row + 1); // w_id
        out.alphanumeric(random, 6, 10); // w_name
        address(random, out);
        out.decimal(random.between(0, 2_000), 4); // w_tax
        out.decimal(300_000_00, 2); // w_ytd
    }

    private void district(long row, SplitMix64 random, CsvBuffer out) {
        out.number(row % DISTRICTS + 1); // d_id
        out.number(row / DISTRICTS + 1); // d_w_id
        out.alphanumeric(random, 6, 10); // d_name
        address(random, out);
        out.decimal(random.between(0, 2_000), 4); // d_tax
        out.decimal(30_000_00, 2); // d_ytd
        out.number(size.customersPerDistrict() + 1); // d_next_o_id
    }

    /** 3,000 of each district, the widest rows of TPC-C. */
    private void customer(long row, SplitMix64 random, CsvBuffer out) {
        int id = inDistrict(row, size.customersPerDistrict(), 0, out); // c_id, c_d_id, c_w_id
        out.alphanumeric(random, 8, 16); // c_first
        out.text(MIDDLE); // c_middle
        lastName(id, random, out); // c_last
        address(random, out);
        out.numeric(random, 16); // c_phone
        out.timestamp(wholeSecond(row) + random.below(MICROS_PER_SECOND)); // c_since
        out.text(random.oneInTen() ? BAD_CREDIT : GOOD_CREDIT); // c_credit
        out.decimal(50_000_00, 2); // c_credit_lim
        out.decimal(random.between(0, 5_000), 4); // c_discount
        out.decimal(-10_00, 2); // c_balance
        out.decimal(10_00, 2); // c_ytd_payment
        out.number(1); // c_payment_cnt
        out.number(0); // c_delivery_cnt
        out.alphanumeric(random, 300, 500); // c_data
    }

    /** One payment of every customer; the table has no primary key. */
    private void history(long row, SplitMix64 random, CsvBuffer out) {
        inDistrict(row, size.customersPerDistrict(), 0, out); // h_c_id, h_c_d_id, h_c_w_id
        district(row, size.customersPerDistrict(), out); // h_d_id, h_w_id
        out.timestamp(wholeSecond(row) + random.below(MICROS_PER_SECOND)); // h_date
        out.decimal(10_00, 2); // h_amount
        out.alphanumeric(random, 12, 24); // h_data
    }

    /** The last 900 orders of each district. */
    private void newOrder(long row, CsvBuffer out) {
        inDistrict(row, size.newOrdersPerDistrict(), size.lastDelivered(), out); // no_o_id, no_d_id, no_w_id
    }

    /** One order of each customer, in an order drawn for each district; the last 30% have no carrier yet. */
    private void order(long row, SplitMix64 random, CsvBuffer out) {
        int id = inDistrict(row, size.customersPerDistrict(), 0, out); // o_id, o_d_id, o_w_id
        long district = row / size.customersPerDistrict();
        Permutation customers = new Permutation(size.customersPerDistrict(), SplitMix64.mix(seed + district));
        out.number(customers.at(id - 1) + 1); // o_c_id
        out.timestamp(wholeSecond(row)); // o_entry_d
        if (id <= size.lastDelivered()) {
            out.number(random.between(1, 10)); // o_carrier_id
        } else {
            out.nullField();
        }
        out.number(lines.of(row)); // o_ol_cnt
        out.number(1); // o_all_local
    }

    /** 5 to 15 lines of each order; those of orders not delivered have an amount but no date. */
    private void orderLine(long row, SplitMix64 random, CsvBuffer out) {
        long order = lines.orderOf(row);
        int id = inDistrict(order, size.customersPerDistrict(), 0, out); // ol_o_id, ol_d_id, ol_w_id
        boolean delivered = id <= size.lastDelivered();
        out.number(row - lines.ofFirst(order) + 1); // ol_number
        out.number(random.between(1, size.items())); // ol_i_id
        out.number(order / size.customersPerDistrict() / DISTRICTS + 1); // ol_supply_w_id
        if (delivered) {
            out.timestamp(wholeSecond(order)); // ol_delivery_d
        } else {
            out.nullField();
        }
        out.number(5); // ol_quantity
        out.decimal(delivered ? 0 : random.between(1, 999_999), 2); // ol_amount
        out.alphanumeric(random, 24); // ol_dist_info
    }

    /** Appends a row's number within its district, from {@code before + 1}, its district and its warehouse. */
    private static int inDistrict(long row, int perDistrict, int before, CsvBuffer out) {
        int number = before + (int) (row % perDistrict) + 1;
        out.number(number);
        district(row, perDistrict, out);
        return number;
    }

    private static void district(long row, int perDistrict, CsvBuffer out) {
        long district = row / perDistrict;
        out.number(district % DISTRICTS + 1);
        out.number(district / DISTRICTS + 1);
    }

    /** Appends street_1, street_2, city, state and zip. */
    private static void address(SplitMix64 random, CsvBuffer out) {
        out.alphanumeric(random, 10, 20);
        out.alphanumeric(random, 10, 20);
        out.alphanumeric(random, 10, 20);
        out.state(random);
        out.zip(random);
    }

    /** The first 1,000 customers of a district have all the names; the others draw theirs from NURand(255, 0, 999). */
    private static void lastName(int customer, SplitMix64 random, CsvBuffer out) {
        int number =
                customer <= 1000 ? customer - 1 : ((random.between(0, 255) | random.between(0, 999)) + NURAND_C) % 1000;
        out.text(SYLLABLES[number / 100], SYLLABLES[number / 10 % 10], SYLLABLES[number % 10]);
    }

    /** The time of a row, one second after that of the row before; the same in all tables that refer to the row. */
    private static long wholeSecond(long row) {
        return BEGIN_MICROS + row * MICROS_PER_SECOND;
    }
}
