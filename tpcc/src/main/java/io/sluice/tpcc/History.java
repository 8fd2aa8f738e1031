package io.sluice.tpcc;

/** HISTORY: one payment of every customer; the table without a primary key. */
record History(TpccSize size) implements TpccTable {
    @Override
    public long rows() {
        return size.customers();
    }

    @Override
    public int maxRowBytes() {
        return 128;
    }

    @Override
    public void write(long row, SplitMix64 random, CsvBuffer out) {
        DistrictRow key = DistrictRow.of(row, size.customersPerDistrict());
        out.number(key.number()); // h_c_id
        out.number(key.district()); // h_c_d_id
        out.number(key.warehouse()); // h_c_w_id
        out.number(key.district()); // h_d_id
        out.number(key.warehouse()); // h_w_id
        out.timestamp(Times.ofRow(row, random)); // h_date
        out.decimal(10_00, 2); // h_amount
        out.alphanumeric(random, 12, 24); // h_data
        out.endRow();
    }
}
