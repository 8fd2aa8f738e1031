// The history of one column family's LSM tree: which files are there after each event, above which others they stand,
// and what an event was in words. Nothing here draws. The page of `sluice lsm --html` has this module inside (so imports
// are one line each, and there is no default export); the data are the same:
//
//   keys    all keys at which files begin or end, in order; a file refers to them by position
//   files   [name, level, first key, last key, bytes, entries, origin, event that bore it]
//   events  q number, t millis, k kind, a files that come, d files that go, b files that become busy, u no more busy,
//           x text, f [height, files, files in level 0, bytes, bytes ingested, bytes written]

import { bytes, number, plural } from '../lib/format.js';

// Columns of a file, and of an event's figures.
export const NAME = 0, LEVEL = 1, FROM = 2, TO = 3, BYTES = 4, ENTRIES = 5, ORIGIN = 6, BORN = 7;
export const HEIGHT = 0, FILES = 1, L0 = 2, SIZE = 3, INGESTED = 4, WRITTEN = 5;

export const ORIGINS = {
  ingested: 'ingested as a file',
  flushed: 'flushed from memory',
  compacted: 'merged by compaction',
  before: 'there before the first event',
};

/** What up and down can mean. */
export const VIEWS = { sublevels: 'by sublevels', levels: 'by levels', age: 'by age, newest on top' };

export class Tree {
  /** Before the first event; `go` moves. */
  constructor(family) {
    this.family = family.family;
    this.table = family.table;
    this.keys = family.keys;
    this.files = family.files;
    this.events = family.events;
    this.at = -1;
    this.live = new Set();
    this.busy = new Map();
    /** Most sublevels of any event; more are found while one looks, and rows then stay where they are. */
    this.mostSublevels = this.events.reduce((most, event) => Math.max(most, event.f[HEIGHT]), 1);
    this.floors = null;
  }

  get event() { return this.events[this.at]; }

  get last() { return this.events.length - 1; }

  /** Takes events one at a time, in either direction: they are differences. */
  go(target) {
    target = Math.max(0, Math.min(this.last, target));
    while (this.at < target) this.#forward(this.events[++this.at]);
    while (this.at > target) this.#backward(this.events[this.at--]);
    return this;
  }

  #forward(event) {
    for (const file of event.d || []) this.live.delete(file);
    for (const file of event.a || []) this.live.add(file);
    for (const file of event.b || []) this.busy.set(file, true);
    for (const file of event.u || []) this.busy.delete(file);
  }

  #backward(event) {
    for (const file of event.u || []) this.busy.set(file, true);
    for (const file of event.b || []) this.busy.delete(file);
    for (const file of event.a || []) this.live.delete(file);
    for (const file of event.d || []) this.live.add(file);
  }

  /** Oldest first: deeper levels hold older KVs, and in level 0 files are as old as their events. */
  #older = (x, y) => {
    const one = this.files[x], other = this.files[y];
    return other[LEVEL] - one[LEVEL] || (one[LEVEL] === 0 ? one[BORN] - other[BORN] : one[FROM] - other[FROM]) || x - y;
  };

  /** Sublevel of each file: from the oldest on, each falls until it meets one that it overlaps. */
  stacked(files) {
    const skyline = new Int32Array(this.keys.length);
    const sublevels = new Map();
    for (const file of files.slice().sort(this.#older)) {
      const f = this.files[file];
      let sublevel = 0;
      for (let key = f[FROM]; key <= f[TO]; key++) if (skyline[key] > sublevel) sublevel = skyline[key];
      skyline.fill(sublevel + 1, f[FROM], f[TO] + 1);
      sublevels.set(file, sublevel);
    }
    return sublevels;
  }

  /** Levels that ever held files, the deepest first, and the most sublevels that level 0 had. */
  levels() {
    if (this.floors) return this.floors;
    const levels = new Set();
    for (const file of this.files) if (file[LEVEL] > 0) levels.add(file[LEVEL]);
    let level0 = 0;
    const inLevel0 = new Set();
    for (const event of this.events) {
      let grown = false;
      for (const file of event.d || []) inLevel0.delete(file);
      for (const file of event.a || []) if (this.files[file][LEVEL] === 0) { inLevel0.add(file); grown = true; }
      if (grown && inLevel0.size > level0) level0 = Math.max(level0, tallest(this.stacked([...inLevel0])));
    }
    this.floors = { levels: [...levels].sort((x, y) => y - x), level0 };
    return this.floors;
  }

  /**
   * Which file goes into which row, counted from the bottom: { rows, labels: [[row, text]], places: [[file, row]] }.
   * Files that went with the event are where they were.
   */
  place(view) {
    const gone = this.event.d || [];
    const come = new Set(this.event.a || []);
    const now = [...this.live];
    const before = [...gone, ...now.filter(file => !come.has(file))];
    const all = [...gone, ...now];
    if (view === 'age') {
      all.sort((x, y) => this.files[x][BORN] - this.files[y][BORN] || y - x);
      return { rows: all.length, labels: [], places: all.map((file, row) => [file, row]) };
    }
    if (view === 'sublevels') {
      const after = this.stacked(now), earlier = gone.length ? this.stacked(before) : after;
      this.mostSublevels = Math.max(this.mostSublevels, tallest(after), tallest(earlier));
      const labels = Array.from({ length: this.mostSublevels }, (_, row) => [row, String(row)]);
      return { rows: this.mostSublevels, labels, places: all.map(file => [file, (after.has(file) ? after : earlier).get(file)]) };
    }
    const { levels, level0 } = this.levels();
    const isLevel0 = file => this.files[file][LEVEL] === 0;
    const after = this.stacked(now.filter(isLevel0)), earlier = this.stacked(before.filter(isLevel0));
    const deep = levels.length;
    const row = file => (isLevel0(file) ? deep + (after.has(file) ? after : earlier).get(file) : levels.indexOf(this.files[file][LEVEL]));
    const labels = levels.map((level, i) => [i, 'L' + level]);
    for (let i = 0; i < level0; i++) labels.push([deep + i, level0 > 1 ? 'L0.' + i : 'L0']);
    return { rows: deep + level0, labels, places: all.map(file => [file, row(file)]) };
  }

  /** Files above each other: on a key (even slots) and between two keys (odd slots). */
  heights() {
    const slots = new Int32Array(2 * this.keys.length + 2);
    for (const file of this.live) { slots[2 * this.files[file][FROM]]++; slots[2 * this.files[file][TO] + 1]--; }
    for (let i = 1; i < slots.length; i++) slots[i] += slots[i - 1];
    return slots;
  }

  /** What happened, in words. */
  sentence(event = this.event) {
    const sum = files => files.reduce((total, file) => total + this.files[file][BYTES], 0);
    const come = event.a || [], gone = event.d || [];
    const came = () => `${plural(come.length, 'file')} (${bytes(sum(come))})`;
    const left = () => `${plural(gone.length, 'file')} (${bytes(sum(gone))})`;
    switch (event.k) {
      case 'snapshot': return `${came()} ${come.length === 1 ? 'is' : 'are'} live`;
      case 'ingest': return `${came()} ingested`;
      case 'flush': return `${came()} flushed from memory`;
      case 'drain': return `small SSTs drained into ${came()}`;
      case 'compaction-begin': return `compaction of ${plural((event.b || []).length, 'file')} begins`;
      case 'compaction': {
        const names = new Set(gone.map(file => this.files[file][NAME]));
        return come.length && come.every(file => names.has(this.files[file][NAME]))
          ? `${came()} moved to L${this.files[come[0]][LEVEL]}`
          : `${left()} merged into ${came()}`;
      }
      case 'removal': return `${left()} removed`;
      case 'publish': return 'the table became visible';
      case 'drop': return `dropped with ${left()}`;
      default: return event.x || event.k;
    }
  }

  /** One file, in words, for pointing at. */
  describe(file) {
    const f = this.files[file];
    const lines = [
      `level ${f[LEVEL]}, ${bytes(f[BYTES])}${f[ENTRIES] < 0 ? '' : `, ${plural(f[ENTRIES], 'entry', 'entries')}`}`,
      `${ORIGINS[f[ORIGIN]] || f[ORIGIN]}${f[ORIGIN] === 'before' ? '' : `, event ${number(f[BORN])}`}`,
    ];
    if (this.busy.has(file)) lines.push('being merged');
    if (!this.live.has(file)) lines.push('gone with this event');
    return { name: f[NAME], lines, from: this.keys[f[FROM]], to: this.keys[f[TO]] };
  }
}

const tallest = sublevels => { let most = 0; for (const each of sublevels.values()) most = Math.max(most, each + 1); return most; };

/** Bytes written for each byte that came in. */
export const amplification = figures => (figures[INGESTED] ? figures[WRITTEN] / figures[INGESTED] : 1);
