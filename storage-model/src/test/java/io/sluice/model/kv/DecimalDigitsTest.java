package io.sluice.model.kv;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.math.BigInteger;
import org.junit.jupiter.api.Test;

/** Counts of decimal digits, one below, at and above every power of ten and of two. */
final class DecimalDigitsTest {
    @Test
    void countsDigitsAroundPowers() {
        for (int base : new int[] {2, 10}) {
            BigInteger power = BigInteger.ONE;
            for (int exponent = 0; exponent < 400; exponent++) {
                for (int delta = -1; delta <= 1; delta++) {
                    check(power.add(BigInteger.valueOf(delta)));
                }
                power = power.multiply(BigInteger.valueOf(base));
            }
        }
    }

    private static void check(BigInteger magnitude) {
        int expected = magnitude.toString().length();
        if (magnitude.bitLength() < Long.SIZE) {
            assertEquals(expected, DecimalEncoding.digits(magnitude.longValue()), magnitude.toString());
        }
        if (magnitude.signum() > 0) {
            assertEquals(expected, DecimalEncoding.digits(magnitude), magnitude.toString());
        }
    }

    @Test
    void magnitudeOfTheSmallestLong() {
        assertEquals(19, DecimalEncoding.digits(Math.abs(Long.MIN_VALUE)));
    }
}
