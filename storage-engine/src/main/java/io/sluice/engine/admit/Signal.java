package io.sluice.engine.admit;

/** The ratio of one figure to its limit: 1.0 is at the limit. */
record Signal(Limiter limiter, double score) {
    static Signal higher(Signal a, Signal b) {
        return b.score > a.score ? b : a;
    }
}
