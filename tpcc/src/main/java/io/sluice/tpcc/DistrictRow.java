package io.sluice.tpcc;

/**
 * The position of a row in its district: customers, their history, and orders.
 *
 * @param warehouse from 1
 * @param district within the warehouse, from 1
 * @param number within the district, from 1
 */
record DistrictRow(int warehouse, int district, int number) {
    static DistrictRow of(long row, int perDistrict) {
        long district = row / perDistrict;
        return new DistrictRow(
                (int) (district / TpccSize.DISTRICTS_PER_WAREHOUSE) + 1,
                (int) (district % TpccSize.DISTRICTS_PER_WAREHOUSE) + 1,
                (int) (row % perDistrict) + 1);
    }
}
