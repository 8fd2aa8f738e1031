package io.sluice.node.admit;

/** One figure measured against its limit: 1.0 is at the limit. */
record Signal(Limiter limiter, double score) {
    static Signal higher(Signal a, Signal b) {
        return b.score > a.score ? b : a;
    }
}
