package io.sluice.engine.admit;

/** The gate's answer to an SST. Every answer names the signal nearest its limit, even one that is far from it. */
public sealed interface AdmissionDecision {
    /** The signal nearest its limit. */
    Limiter limiter();

    /** The ratio of the signal's value to its limit: 1.0 is at the limit. */
    double score();

    /** The SST may enter now. */
    record Admit(Limiter limiter, double score) implements AdmissionDecision {}

    /**
     * The SST may not enter now; the sender waits and asks again.
     *
     * @param afterMillis time after which the sender asks again
     */
    record Defer(Limiter limiter, double score, long afterMillis) implements AdmissionDecision {}

    /**
     * The SST may not enter until the operator removes the reason.
     *
     * @param reason the problem, with figures
     */
    record Refuse(Limiter limiter, double score, String reason) implements AdmissionDecision {}
}
