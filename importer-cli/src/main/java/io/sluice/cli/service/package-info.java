/**
 * The command {@code serve}: an import service as a process, alone or as one of several, of which one runs the jobs.
 */
@NullMarked
package io.sluice.cli.service;

import org.jspecify.annotations.NullMarked;
