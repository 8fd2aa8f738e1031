package io.sluice.tpcc;

/** ORDERS: one of each customer, in an order drawn for each district; the last 30% have no carrier yet. */
record Orders(TpccSize size, LineCounts lines, long seed) implements TpccTable {
    @Override
    public long rows() {
        return size.customers();
    }

    @Override
    public int maxRowBytes() {
        return 96;
    }

    @Override
    public void write(long row, SplitMix64 random, CsvBuffer out) {
        DistrictRow key = DistrictRow.of(row, size.customersPerDistrict());
        long district = row / size.customersPerDistrict();
        Permutation customers = new Permutation(size.customersPerDistrict(), SplitMix64.mix(seed + district));
        out.number(key.number()); // o_id
        out.number(key.district()); // o_d_id
        out.number(key.warehouse()); // o_w_id
        out.number(customers.at(key.number() - 1) + 1); // o_c_id
        out.timestamp(Times.wholeSecond(row)); // o_entry_d
        if (key.number() <= size.lastDelivered()) {
            out.number(random.between(1, 10)); // o_carrier_id
        } else {
            out.nullField();
        }
        out.number(lines.of(row)); // o_ol_cnt
        out.number(1); // o_all_local
        out.endRow();
    }
}
