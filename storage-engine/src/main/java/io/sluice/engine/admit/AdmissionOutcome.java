package io.sluice.engine.admit;

/**
 * A decision, with the state for the next one.
 *
 * @param decision the answer
 * @param state the state to pass to the next decision
 */
public record AdmissionOutcome(AdmissionDecision decision, AdmissionState state) {}
