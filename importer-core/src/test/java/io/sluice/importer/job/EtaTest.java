package io.sluice.importer.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class EtaTest {
    private final Eta eta = new Eta();

    @Test
    void saysNothingBeforeItKnowsAnything() {
        assertTrue(Double.isNaN(eta.update(0.1, 0.5)));
        assertTrue(Double.isNaN(eta.update(10, 0)));
    }

    @Test
    void countsDownAtSteadySpeed() {
        for (int second = 1; second <= 10; second++) {
            assertEquals(10 - second, eta.update(second, second / 10.0), 1e-9);
        }
    }

    @Test
    void aShortPauseDoesNotPutItBack() {
        double before = eta.update(4, 0.4);
        assertTrue(eta.update(5, 0.4) < before);
        assertTrue(eta.update(5.9, 0.4) < before);
        assertEquals(3, eta.update(7, 0.7), 1e-9);
    }

    @Test
    void aLongPauseDoes() {
        eta.update(4, 0.4);
        eta.update(5, 0.4);
        assertEquals(7.5 * 1.5, eta.update(7.5, 0.4), 1e-9);
    }

    @Test
    void neverNegative() {
        eta.update(1, 0.5);
        assertEquals(0, eta.update(2.05, 0.99), 1e-9);
    }
}
