package io.sluice.tpcc;

/** WAREHOUSE: one row each. */
record Warehouse(TpccSize size) implements TpccTable {
    @Override
    public long rows() {
        return size.warehouses();
    }

    @Override
    public int maxRowBytes() {
        return 64 + Address.MAX_BYTES;
    }

    @Override
    public void write(long row, SplitMix64 random, CsvBuffer out) {
        out.number(row + 1); // w_id
        out.alphanumeric(random, 6, 10); // w_name
        Address.write(random, out);
        out.decimal(random.between(0, 2_000), 4); // w_tax
        out.decimal(300_000_00, 2); // w_ytd
        out.endRow();
    }
}
