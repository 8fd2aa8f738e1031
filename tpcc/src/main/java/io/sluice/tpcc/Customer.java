package io.sluice.tpcc;

/** CUSTOMER: 3,000 of each district, the widest rows of TPC-C. */
record Customer(TpccSize size) implements TpccTable {
    private static final byte[] MIDDLE = CsvBuffer.ascii("OE");
    private static final byte[] BAD_CREDIT = CsvBuffer.ascii("BC");
    private static final byte[] GOOD_CREDIT = CsvBuffer.ascii("GC");

    @Override
    public long rows() {
        return size.customers();
    }

    @Override
    public int maxRowBytes() {
        return 768;
    }

    @Override
    public void write(long row, SplitMix64 random, CsvBuffer out) {
        DistrictRow key = DistrictRow.of(row, size.customersPerDistrict());
        out.number(key.number()); // c_id
        out.number(key.district()); // c_d_id
        out.number(key.warehouse()); // c_w_id
        out.alphanumeric(random, 8, 16); // c_first
        out.text(MIDDLE); // c_middle
        LastName.write(key.number(), random, out); // c_last
        Address.write(random, out);
        out.numeric(random, 16); // c_phone
        out.timestamp(Times.ofRow(row, random)); // c_since
        out.text(random.oneInTen() ? BAD_CREDIT : GOOD_CREDIT); // c_credit
        out.decimal(50_000_00, 2); // c_credit_lim
        out.decimal(random.between(0, 5_000), 4); // c_discount
        out.decimal(-10_00, 2); // c_balance
        out.decimal(10_00, 2); // c_ytd_payment
        out.number(1); // c_payment_cnt
        out.number(0); // c_delivery_cnt
        out.alphanumeric(random, 300, 500); // c_data
        out.endRow();
    }
}
