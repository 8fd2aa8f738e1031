package io.sluice.node.admit;

/** The answer to an SST that asks to enter. Each names what limits most, be it far from its limit. */
public sealed interface AdmissionDecision {
    /** What limits most. */
    Limiter limiter();

    /** How near the limit that is: 1.0 is at it. */
    double score();

    /** It may enter now. */
    record Admit(Limiter limiter, double score) implements AdmissionDecision {}

    /**
     * It may not enter now; waiting helps.
     *
     * @param afterMillis when to ask again
     */
    record Defer(Limiter limiter, double score, long afterMillis) implements AdmissionDecision {}

    /**
     * It may not enter, and somebody has to do something about it.
     *
     * @param reason what is wrong, with figures
     */
    record Refuse(Limiter limiter, double score, String reason) implements AdmissionDecision {}
}
