package io.sluice.tpcc;

/** ITEM: what every warehouse sells; its size does not depend on their number. */
record Item(TpccSize size) implements TpccTable {
    @Override
    public long rows() {
        return size.items();
    }

    @Override
    public int maxRowBytes() {
        return 128;
    }

    @Override
    public void write(long row, SplitMix64 random, CsvBuffer out) {
        out.number(row + 1); // i_id
        out.number(random.between(1, 10_000)); // i_im_id
        out.alphanumeric(random, 14, 24); // i_name
        out.decimal(random.between(100, 10_000), 2); // i_price
        out.originalData(random); // i_data
        out.endRow();
    }
}
