/**
 * The {@code jobs} commands: clients of an import service that list its jobs, show and watch them, and change their
 * states.
 */
@NullMarked
package io.sluice.cli.jobs;

import org.jspecify.annotations.NullMarked;
