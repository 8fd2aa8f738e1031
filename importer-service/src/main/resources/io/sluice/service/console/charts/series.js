// How an import went over time: columns of equal length, the history from the service with live points behind it.
// Bounded: past MAX_POINTS every second point of the older half goes, so the end stays fine.

const MAX_POINTS = 1500;
/** Live points come twice a second; a curve needs no more than one. */
const LEAST_SECONDS = 0.9;
/** Splits end in bursts, so a rate is that of some seconds, as in the figures above the curves. */
const SMOOTHED_SECONDS = 5;

export class Series {
  constructor(samples) {
    this.t = samples.t.slice();
    this.bytes = samples.bytes.slice();
    this.rows = samples.rows.slice();
    this.height = samples.height.slice();
    this.files = samples.files.slice();
  }

  get length() { return this.t.length; }

  /** Adds what a progress says at a moment, in seconds since 1970. Whether there was a new point. */
  add(seconds, progress) {
    const last = this.length - 1;
    if (last >= 0 && seconds - this.t[last] < LEAST_SECONDS) return false;
    this.t.push(seconds);
    this.bytes.push(progress.bytesRead);
    this.rows.push(progress.rowsRead);
    this.height.push(progress.height ?? this.height[last] ?? 0);
    this.files.push(progress.files ?? this.files[last] ?? 0);
    if (this.length > MAX_POINTS) this.#thin();
    return true;
  }

  #thin() {
    const half = this.length >> 1;
    for (const name of ['t', 'bytes', 'rows', 'height', 'files']) this[name] = this[name].filter((_, i) => i >= half || i % 2 === 0);
  }

  /** What a growing column gained per second over the last seconds before each moment; nothing for the first. */
  rates(column) {
    const values = this[column];
    let from = 0;
    return this.t.map((t, i) => {
      if (i === 0) return null;
      while (from < i - 1 && t - this.t[from] > SMOOTHED_SECONDS) from++;
      return t <= this.t[from] ? null : Math.max(0, values[i] - values[from]) / (t - this.t[from]);
    });
  }
}
