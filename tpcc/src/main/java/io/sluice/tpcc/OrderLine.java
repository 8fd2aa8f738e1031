package io.sluice.tpcc;

/** ORDER_LINE: 5 to 15 lines of each order; those of orders not delivered have an amount but no date. */
record OrderLine(TpccSize size, LineCounts lines) implements TpccTable {
    @Override
    public long rows() {
        return lines.ofFirst(size.customers());
    }

    @Override
    public int maxRowBytes() {
        return 160;
    }

    @Override
    public void write(long row, SplitMix64 random, CsvBuffer out) {
        long order = lines.orderOf(row);
        DistrictRow key = DistrictRow.of(order, size.customersPerDistrict());
        boolean delivered = key.number() <= size.lastDelivered();
        out.number(key.number()); // ol_o_id
        out.number(key.district()); // ol_d_id
        out.number(key.warehouse()); // ol_w_id
        out.number(row - lines.ofFirst(order) + 1); // ol_number
        out.number(random.between(1, size.items())); // ol_i_id
        out.number(key.warehouse()); // ol_supply_w_id
        if (delivered) {
            out.timestamp(Times.wholeSecond(order)); // ol_delivery_d
        } else {
            out.nullField();
        }
        out.number(5); // ol_quantity
        out.decimal(delivered ? 0 : random.between(1, 999_999), 2); // ol_amount
        out.alphanumeric(random, 24); // ol_dist_info
        out.endRow();
    }
}
