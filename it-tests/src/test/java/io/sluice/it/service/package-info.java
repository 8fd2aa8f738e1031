/** The import service: its API, the states of jobs, failures of its disk, and its console in a browser. */
@NullMarked
package io.sluice.it.service;

import org.jspecify.annotations.NullMarked;
