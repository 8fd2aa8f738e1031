package io.sluice.tpcc;

import io.sluice.model.error.BadInputException;

/**
 * The sizes of the tables: TPC-C's cardinalities (clause 4.3.3.1), times a scale that keeps the ratios.
 *
 * @param warehouses at least 1
 * @param items rows of ITEM, and stock rows of a warehouse
 * @param customersPerDistrict also the orders of a district
 */
public record TpccSize(int warehouses, int items, int customersPerDistrict) {
    static final int DISTRICTS_PER_WAREHOUSE = 10;
    private static final int ITEMS = 100_000;
    private static final int CUSTOMERS_PER_DISTRICT = 3_000;

    public static TpccSize of(int warehouses, double scale) {
        if (warehouses < 1) {
            throw new BadInputException("--warehouses " + warehouses + ": must be at least 1");
        }
        if (!(scale > 0 && scale <= 1)) {
            throw new BadInputException("--scale " + scale + ": must be above 0 and at most 1");
        }
        return new TpccSize(warehouses, scaled(ITEMS, scale), scaled(CUSTOMERS_PER_DISTRICT, scale));
    }

    private static int scaled(int count, double scale) {
        return Math.max(1, (int) Math.round(count * scale));
    }

    long districts() {
        return (long) warehouses * DISTRICTS_PER_WAREHOUSE;
    }

    /** Customers of all districts; as many orders. */
    long customers() {
        return districts() * customersPerDistrict;
    }

    /** Orders of a district that were not delivered yet: the last 900 of 3,000. */
    int newOrdersPerDistrict() {
        return Math.max(1, (int) (customersPerDistrict * 3L / 10));
    }

    /** The last order of a district that was delivered: 2,100 of 3,000. */
    int lastDelivered() {
        return customersPerDistrict - newOrdersPerDistrict();
    }
}
