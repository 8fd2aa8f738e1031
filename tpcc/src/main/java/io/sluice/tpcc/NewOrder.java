package io.sluice.tpcc;

/** NEW_ORDER: the last 900 orders of each district. */
record NewOrder(TpccSize size) implements TpccTable {
    @Override
    public long rows() {
        return size.districts() * size.newOrdersPerDistrict();
    }

    @Override
    public int maxRowBytes() {
        return 48;
    }

    @Override
    public void write(long row, SplitMix64 random, CsvBuffer out) {
        DistrictRow key = DistrictRow.of(row, size.newOrdersPerDistrict());
        out.number(size.lastDelivered() + key.number()); // no_o_id
        out.number(key.district()); // no_d_id
        out.number(key.warehouse()); // no_w_id
        out.endRow();
    }
}
