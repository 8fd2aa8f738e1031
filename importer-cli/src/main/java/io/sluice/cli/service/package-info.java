/** The command {@code serve}: an import service as a process. */
@NullMarked
package io.sluice.cli.service;

import org.jspecify.annotations.NullMarked;
