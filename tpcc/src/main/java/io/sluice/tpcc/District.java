package io.sluice.tpcc;

/** DISTRICT: ten of each warehouse. */
record District(TpccSize size) implements TpccTable {
    @Override
    public long rows() {
        return size.districts();
    }

    @Override
    public int maxRowBytes() {
        return 96 + Address.MAX_BYTES;
    }

    @Override
    public void write(long row, SplitMix64 random, CsvBuffer out) {
        out.number(row % TpccSize.DISTRICTS_PER_WAREHOUSE + 1); // d_id
        out.number(row / TpccSize.DISTRICTS_PER_WAREHOUSE + 1); // d_w_id
        out.alphanumeric(random, 6, 10); // d_name
        Address.write(random, out);
        out.decimal(random.between(0, 2_000), 4); // d_tax
        out.decimal(30_000_00, 2); // d_ytd
        out.number(size.customersPerDistrict() + 1); // d_next_o_id
        out.endRow();
    }
}
