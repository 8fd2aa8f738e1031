package io.sluice.tpcc;

/** STOCK: 17 columns, 100,000 rows and about 30.6 MB a warehouse, in the order of its primary key. */
record Stock(TpccSize size) implements TpccTable {
    private static final int DISTRICTS = TpccSize.DISTRICTS_PER_WAREHOUSE;

    @Override
    public long rows() {
        return (long) size.warehouses() * size.items();
    }

    @Override
    public int maxRowBytes() {
        return 384;
    }

    @Override
    public void write(long row, SplitMix64 random, CsvBuffer out) {
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
        out.endRow();
    }
}
