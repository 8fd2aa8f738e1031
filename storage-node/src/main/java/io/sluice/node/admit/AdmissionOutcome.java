package io.sluice.node.admit;

/**
 * A decision, and what to remember for the next one.
 *
 * @param decision the answer
 * @param state replaces the state that was passed in
 */
public record AdmissionOutcome(AdmissionDecision decision, AdmissionState state) {}
