'use strict';
(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  const element = id => document.getElementById(id);

  // Columns of a row of data.files, and of an event's figures.
  const NAME = 0, LEVEL = 1, FROM = 2, TO = 3, BYTES = 4, ENTRIES = 5, ORIGIN = 6, BORN = 7;
  const HEIGHT = 0, FILES = 1, L0 = 2, SIZE = 3, INGESTED = 4, WRITTEN = 5;
  const ORIGIN_TEXT = {
    ingested: 'ingested as a file',
    flushed: 'flushed from memory',
    compacted: 'merged by compaction',
    before: 'there before the first event',
  };
  const VIEWS = { sublevels: 'by sublevels', levels: 'by levels', age: 'by age, newest on top' };
  const MARGIN = 44;
  const MAX_ROW = 26, MIN_ROW = 3, TREE_PIXELS = 400;
  const MAX_LISTED = 500;
  const PLAY_MILLIS = 20000;

  const hash = new Map(location.hash.slice(1).split('&').map(part => part.split('=')));
  if (hash.has('theme')) document.documentElement.dataset.theme = hash.get('theme');

  let family;          // the column family shown
  let at = -1;         // position of the event shown, -1 before the first
  let live = new Set();
  let busy = new Map();
  let floors;          // the levels that the history uses
  let mostSublevels;   // seen so far, so that rows stay where they are while the history plays
  let view = 'sublevels';
  let boxes = [];      // what is drawn where, for pointing at
  let timer = 0;

  const number = value => value.toLocaleString('en');
  const bytes = value => {
    const units = ['B', 'kB', 'MB', 'GB', 'TB'];
    let unit = 0;
    while (value >= 999.5 && unit < units.length - 1) { value /= 1000; unit++; }
    return `${unit === 0 || value >= 99.95 ? value.toFixed(0) : value >= 9.995 ? value.toFixed(1) : value.toFixed(2)} ${units[unit]}`;
  };
  const amplification = f => f[INGESTED] ? f[WRITTEN] / f[INGESTED] : 1;
  const plural = (count, one) => `${number(count)} ${one}${count === 1 ? '' : 's'}`;
  const colour = name => getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
  let palette = {};
  const readPalette = () => {
    for (const name of ['ground', 'panel', 'ink', 'soft', 'line', 'band', 'ingested', 'flushed', 'compacted', 'before', 'gone', 'accent', 'on-bar'])
      palette[name] = colour(name);
  };

  // State: events are differences, taken one at a time in either direction.

  function forward(event) {
    for (const file of event.d || []) live.delete(file);
    for (const file of event.a || []) live.add(file);
    for (const file of event.b || []) busy.set(file, (busy.get(file) || 0) + 1);
    for (const file of event.u || []) busy.delete(file);
  }

  function backward(event) {
    for (const file of event.u || []) busy.set(file, 1);
    for (const file of event.b || []) busy.delete(file);
    for (const file of event.a || []) live.delete(file);
    for (const file of event.d || []) live.add(file);
  }

  function go(target) {
    target = Math.max(0, Math.min(family.events.length - 1, target));
    while (at < target) forward(family.events[++at]);
    while (at > target) backward(family.events[at--]);
  }

  /** Oldest first: deeper levels hold older KVs, and in level 0 files are as old as their events. */
  const older = (x, y) => {
    const one = family.files[x], other = family.files[y];
    return other[LEVEL] - one[LEVEL] || (one[LEVEL] === 0 ? one[BORN] - other[BORN] : one[FROM] - other[FROM]) || x - y;
  };

  /** Sublevels: from the oldest on, each file falls until it meets one that it overlaps. */
  function stacked(files) {
    const skyline = new Int32Array(family.keys.length);
    const sublevels = new Map();
    for (const file of files.slice().sort(older)) {
      const f = family.files[file];
      let sublevel = 0;
      for (let key = f[FROM]; key <= f[TO]; key++) if (skyline[key] > sublevel) sublevel = skyline[key];
      skyline.fill(sublevel + 1, f[FROM], f[TO] + 1);
      sublevels.set(file, sublevel);
    }
    return sublevels;
  }

  /** Levels that ever held files, and most sublevels that level 0 had. */
  function levelsOfHistory() {
    const levels = new Set();
    for (const file of family.files) if (file[LEVEL] > 0) levels.add(file[LEVEL]);
    let most = 0;
    const l0 = new Set();
    for (const event of family.events) {
      let grown = false;
      for (const file of event.d || []) l0.delete(file);
      for (const file of event.a || []) if (family.files[file][LEVEL] === 0) { l0.add(file); grown = true; }
      if (grown && l0.size > most) most = Math.max(most, highest(stacked([...l0])));
    }
    return { levels: [...levels].sort((x, y) => y - x), level0: most };
  }

  const highest = sublevels => { let most = 0; for (const each of sublevels.values()) most = Math.max(most, each + 1); return most; };

  // Drawing.

  function canvas(target, height) {
    const ratio = window.devicePixelRatio || 1;
    const width = target.clientWidth || target.parentElement.clientWidth;
    if (height) target.style.height = height + 'px'; else height = target.clientHeight;
    target.width = Math.round(width * ratio);
    target.height = Math.round(height * ratio);
    const pen = target.getContext('2d');
    pen.scale(ratio, ratio);
    pen.font = '11px system-ui, "Segoe UI", Arial, sans-serif';
    pen.textBaseline = 'middle';
    return { pen, width, height };
  }

  const scale = width => {
    const last = Math.max(1, family.keys.length - 1);
    return key => MARGIN + key * (width - MARGIN - 4) / last;
  };

  /** Which file goes into which row, counted from the bottom. Files that went are where they were. */
  function place() {
    const event = family.events[at];
    const gone = event.d || [];
    const come = new Set(event.a || []);
    const now = [...live];
    const before = [...gone, ...now.filter(file => !come.has(file))];
    const all = [...gone, ...now];
    if (view === 'age') {
      all.sort((x, y) => family.files[x][BORN] - family.files[y][BORN] || y - x);
      return { rows: all.length, labels: [], places: all.map((file, row) => [file, row]) };
    }
    if (view === 'sublevels') {
      const after = stacked(now), earlier = gone.length ? stacked(before) : after;
      mostSublevels = Math.max(mostSublevels, highest(after), highest(earlier));
      const labels = Array.from({ length: mostSublevels }, (_, row) => [row, String(row)]);
      return { rows: mostSublevels, labels, places: all.map(file => [file, (after.has(file) ? after : earlier).get(file)]) };
    }
    const inLevel0 = file => family.files[file][LEVEL] === 0;
    const after = stacked(now.filter(inLevel0)), earlier = stacked(before.filter(inLevel0));
    const deep = floors.levels.length;
    const row = file => inLevel0(file) ? deep + (after.has(file) ? after : earlier).get(file) : floors.levels.indexOf(family.files[file][LEVEL]);
    const labels = floors.levels.map((level, i) => [i, 'L' + level]);
    for (let i = 0; i < floors.level0; i++) labels.push([deep + i, floors.level0 > 1 ? 'L0.' + i : 'L0']);
    return { rows: deep + floors.level0, labels, places: all.map(file => [file, row(file)]) };
  }

  function drawTree() {
    const layout = place();
    const aged = view === 'age';
    const row = Math.max(aged ? 0 : MIN_ROW, Math.min(MAX_ROW, TREE_PIXELS / Math.max(1, layout.rows)));
    const pixels = Math.ceil(layout.rows * row) + 8;
    const { pen, width, height } = canvas(element('tree'), Math.max(aged ? TREE_PIXELS : 120, pixels));
    const x = scale(width);
    const yOf = position => (aged ? 4 + (layout.rows - 1 - position) * row : height - 4 - (position + 1) * row);
    const event = family.events[at];
    const fresh = new Set(event.a || []);
    const gone = new Set(event.d || []);
    boxes = [];

    let lastLabel = Infinity;
    layout.labels.forEach(([position, label]) => {
      const y = yOf(position);
      if (position % 2 === 0 && row >= 6) { pen.fillStyle = palette.band; pen.fillRect(MARGIN, y, width - MARGIN, row); }
      if (lastLabel - y >= 13) {
        pen.fillStyle = palette.soft; pen.textAlign = 'right';
        pen.fillText(label, MARGIN - 7, y + row / 2);
        lastLabel = y;
      }
    });
    if (view !== 'levels') {
      pen.save();
      pen.fillStyle = palette.soft; pen.textAlign = 'center';
      pen.translate(9, aged ? 60 : height - Math.min(height, 90) / 2); pen.rotate(-Math.PI / 2);
      pen.fillText(aged ? 'older  →  newer' : 'sublevel →', 0, 0);
      pen.restore();
    }

    const gap = row >= 8 ? 2 : row >= 4 ? 1 : row >= 2 ? .4 : 0;
    for (const [file, position] of layout.places) {
      const f = family.files[file];
      const left = x(f[FROM]);
      const wide = Math.max(2.5, x(f[TO]) - left);
      const y = yOf(position) + gap / 2;
      const tall = Math.max(1, row - gap);
      const round = Math.min(4, tall / 2, wide / 2);
      pen.beginPath();
      pen.roundRect(left, y, wide, tall, round);
      if (gone.has(file)) {
        pen.setLineDash([4, 3]); pen.strokeStyle = palette.gone; pen.lineWidth = 1.4; pen.stroke(); pen.setLineDash([]);
      } else {
        pen.fillStyle = palette[f[ORIGIN]];
        pen.globalAlpha = fresh.size && !fresh.has(file) ? .82 : 1;
        pen.fill();
        pen.globalAlpha = 1;
        if (busy.has(file)) hatch(pen, left, y, wide, tall);
        if (fresh.has(file)) { pen.strokeStyle = palette.ink; pen.lineWidth = tall < 6 ? 1 : 2; pen.beginPath(); pen.roundRect(left - 1, y - 1, wide + 2, tall + 2, round + 1); pen.stroke(); }
        const label = f[NAME].replace(/^0+|\.sst$/g, '');
        if (tall >= 12 && !busy.has(file) && wide > label.length * 7 + 10) {
          pen.fillStyle = palette['on-bar']; pen.textAlign = 'center';
          pen.fillText(label, left + wide / 2, y + tall / 2 + .5);
        }
      }
      boxes.push([left, y, wide, tall, file]);
    }
    if (!live.size && !gone.size) {
      pen.fillStyle = palette.soft; pen.textAlign = 'center';
      pen.fillText('no files', width / 2, height / 2);
    }
    element('tree').setAttribute('aria-label', `${plural(live.size, 'file')} ${VIEWS[view]}; the table below lists them`);
  }

  function hatch(pen, left, y, wide, tall) {
    pen.save();
    pen.clip();
    pen.strokeStyle = palette.panel; pen.globalAlpha = .75; pen.lineWidth = 2;
    pen.beginPath();
    for (let i = left - tall; i < left + wide; i += 7) { pen.moveTo(i, y + tall); pen.lineTo(i + tall, y); }
    pen.stroke();
    pen.restore();
  }

  /** Files above each other: on a key (even slots) and between two keys (odd slots). */
  function heights() {
    const slots = new Int32Array(2 * family.keys.length + 2);
    for (const file of live) { slots[2 * family.files[file][FROM]]++; slots[2 * family.files[file][TO] + 1]--; }
    for (let i = 1; i < slots.length; i++) slots[i] += slots[i - 1];
    return slots;
  }

  function drawSkyline() {
    const { pen, width, height } = canvas(element('skyline'));
    const slots = heights();
    const x = scale(width);
    const most = family.events.reduce((highest, event) => Math.max(highest, event.f[HEIGHT]), 1);
    let tallest = 0, peak = 0;
    for (let i = 0; i < slots.length; i++) if (slots[i] > tallest) { tallest = slots[i]; peak = i; }
    const room = height - 16;
    const y = value => height - 1 - value * room / most;
    pen.fillStyle = palette.soft; pen.globalAlpha = .28;
    pen.beginPath(); pen.moveTo(MARGIN, height);
    for (let key = 0; key < family.keys.length; key++) {
      const left = x(key), right = Math.min(width - 4, x(key + 1));
      const on = y(slots[2 * key]), between = y(slots[2 * key + 1]);
      pen.lineTo(left - .7, on); pen.lineTo(left + .7, on);
      pen.lineTo(left + .7, between); pen.lineTo(right - .7, between);
    }
    pen.lineTo(width - 4, height); pen.closePath(); pen.fill(); pen.globalAlpha = 1;
    pen.strokeStyle = palette.line; pen.beginPath(); pen.moveTo(MARGIN, height - .5); pen.lineTo(width, height - .5); pen.stroke();
    pen.fillStyle = palette.soft; pen.textAlign = 'right'; pen.fillText('height', MARGIN - 5, height - 8);
    if (tallest) {
      const where = x(peak / 2), text = `tallest: ${tallest}`;
      pen.fillStyle = palette.ink; pen.textAlign = where > width / 2 ? 'right' : 'left';
      pen.fillText(text, where + (where > width / 2 ? -6 : 6), Math.max(7, y(tallest) - 6));
      pen.beginPath(); pen.arc(where, y(tallest), 3, 0, 7); pen.fill();
    }
    element('skyline').setAttribute('aria-label', `Files over each key: at most ${tallest}`);
  }

  const CURVES = {
    height: { of: event => event.f[HEIGHT], text: value => number(value) },
    files: { of: event => event.f[FILES], text: value => number(value) },
    bytes: { of: event => event.f[SIZE], text: bytes },
    wa: { of: event => amplification(event.f), text: value => value.toFixed(2) },
  };

  function drawCurve(target) {
    const curve = CURVES[target.dataset.curve];
    const { pen, width, height } = canvas(target);
    const values = family.events.map(curve.of);
    const most = values.reduce((x, y) => Math.max(x, y), 0) || 1;
    const x = i => values.length === 1 ? width / 2 : 1 + i * (width - 3) / (values.length - 1);
    const y = value => height - 3 - value * (height - 20) / most;
    pen.strokeStyle = palette.line; pen.beginPath(); pen.moveTo(0, height - 2.5); pen.lineTo(width, height - 2.5); pen.stroke();
    pen.beginPath();
    values.forEach((value, i) => { if (i) pen.lineTo(x(i), y(values[i - 1])); pen.lineTo(x(i), y(value)); });
    pen.strokeStyle = palette.accent; pen.lineWidth = 1.5; pen.lineJoin = 'round'; pen.stroke();
    pen.lineTo(x(values.length - 1), height - 2.5); pen.lineTo(x(0), height - 2.5); pen.closePath();
    pen.globalAlpha = .13; pen.fillStyle = palette.accent; pen.fill(); pen.globalAlpha = 1;
    pen.fillStyle = palette.soft; pen.textAlign = 'right'; pen.fillText('most ' + curve.text(most), width, 8);
    pen.strokeStyle = palette.ink; pen.lineWidth = 1; pen.beginPath(); pen.moveTo(x(at), 14); pen.lineTo(x(at), height - 2); pen.stroke();
    pen.fillStyle = palette.ink; pen.beginPath(); pen.arc(x(at), y(values[at]), 3.5, 0, 7); pen.fill();
    element('c-' + target.dataset.curve).textContent = curve.text(values[at]);
    target.setAttribute('aria-label', `${target.dataset.curve === 'wa' ? 'write amplification' : target.dataset.curve} over ${plural(values.length, 'event')}: ${curve.text(values[at])} now, at most ${curve.text(most)}`);
  }

  // Words.

  function sentence(event) {
    const sum = files => files.reduce((total, file) => total + family.files[file][BYTES], 0);
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
        const names = new Set(gone.map(file => family.files[file][NAME]));
        return come.length && come.every(file => names.has(family.files[file][NAME]))
          ? `${came()} moved to L${family.files[come[0]][LEVEL]}`
          : `${left()} merged into ${came()}`;
      }
      case 'removal': return `${left()} removed`;
      case 'publish': return 'the table became visible';
      case 'drop': return `dropped with ${left()}`;
      default: return event.x || event.k;
    }
  }

  function words() {
    const event = family.events[at];
    const caption = element('caption');
    caption.textContent = '';
    const part = (tag, text, name) => {
      const node = document.createElement(tag);
      node.textContent = text;
      if (name) node.className = name;
      caption.append(node, ' ');
    };
    part('span', `Event ${number(at + 1)} of ${number(family.events.length)}`, 'number');
    part('b', sentence(event));
    const time = event.t ? new Date(event.t).toISOString().replace('T', ' ').replace(/\.\d+Z$/, ' UTC') : '';
    const place = event.q === at + 1 ? '' : `number ${event.q} in the ${data.source}`;
    part('time', [time, place].filter(Boolean).join(', '));
    const f = event.f;
    element('level0').textContent = f[L0] ? `, ${number(f[L0])} in level 0` : '';
    element('slider').value = at;
    element('slider').setAttribute('aria-valuetext', `event ${at + 1}: ${sentence(event)}`);
  }

  function list() {
    if (!element('listing').open) return;
    const body = element('rows');
    body.textContent = '';
    const files = [...live].sort((x, y) => family.files[x][LEVEL] - family.files[y][LEVEL] || family.files[x][FROM] - family.files[y][FROM]);
    const line = cells => {
      const tr = document.createElement('tr');
      for (const cell of cells) { const td = document.createElement('td'); td.textContent = cell; tr.append(td); }
      body.append(tr);
    };
    for (const file of files.slice(0, MAX_LISTED)) {
      const f = family.files[file];
      line([f[NAME], f[LEVEL], family.keys[f[FROM]], family.keys[f[TO]], number(f[BYTES]), f[ENTRIES] < 0 ? '' : number(f[ENTRIES]), `${f[ORIGIN]}, event ${f[BORN]}`]);
    }
    if (files.length > MAX_LISTED) line([`and ${number(files.length - MAX_LISTED)} more`]);
  }

  let asked = false;
  function draw() {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      words(); drawTree(); drawSkyline(); list();
      document.querySelectorAll('[data-curve]').forEach(drawCurve);
    });
  }

  function show(target) { go(target); hideTip(); draw(); }

  // Controls.

  function choose(index) {
    family = data.families[index];
    at = -1; live = new Set(); busy = new Map();
    floors = levelsOfHistory();
    mostSublevels = family.events.reduce((most, event) => Math.max(most, event.f[HEIGHT]), 1);
    element('slider').max = family.events.length - 1;
    element('first-key').textContent = family.keys[0] || '';
    element('last-key').textContent = family.keys[family.keys.length - 1] || '';
    element('subject').textContent = (family.table ? `table ${family.table}` : `column family ${family.family}`) + ` in ${data.title}`;
    element('legend-busy').hidden = !family.events.some(event => event.b);
    const origins = new Set(family.files.map(file => file[ORIGIN]));
    document.querySelectorAll('[data-origin]').forEach(item => { item.hidden = !origins.has(item.dataset.origin); });
    const wanted = hash.has('at') ? +hash.get('at') : data.at;
    let target = family.events.length - 1;
    if (wanted !== undefined) while (target > 0 && family.events[target].q > wanted) target--;
    show(target);
  }

  function turn(to) {
    view = to;
    document.querySelectorAll('[data-view]').forEach(button => button.setAttribute('aria-pressed', button.dataset.view === to));
    draw();
  }

  function turnOn() {
    const all = Object.keys(VIEWS);
    turn(all[(all.indexOf(view) + 1) % all.length]);
  }

  function stop() {
    cancelAnimationFrame(timer);
    timer = 0;
    element('play').textContent = '▶';
    element('play').setAttribute('aria-label', 'Play');
  }

  function play() {
    if (timer) return stop();
    if (at === family.events.length - 1) show(0);
    element('play').textContent = '❚❚';
    element('play').setAttribute('aria-label', 'Pause');
    // The whole history in twenty seconds, but never faster than a reader can follow a short one.
    const perMillisecond = Math.min(Math.max(3, family.events.length * 1000 / PLAY_MILLIS), 1e6) / 1000;
    const begun = performance.now(), from = at;
    const step = now => {
      const target = from + Math.floor((now - begun) * perMillisecond);
      if (target !== at) show(target);
      if (at >= family.events.length - 1) return stop();
      timer = requestAnimationFrame(step);
    };
    timer = requestAnimationFrame(step);
  }

  function hideTip() { element('tip').hidden = true; }

  function tip(pointer) {
    const area = element('tree').getBoundingClientRect();
    const px = pointer.clientX - area.left, py = pointer.clientY - area.top;
    let hit;
    for (const box of boxes)
      if (px >= box[0] - 2 && px <= box[0] + box[2] + 2 && py >= box[1] - 1 && py <= box[1] + box[3] + 1) hit = box;
    if (!hit) return hideTip();
    const f = family.files[hit[4]];
    const lines = [
      `${f[NAME]} in level ${f[LEVEL]}${live.has(hit[4]) ? '' : ', gone with this event'}`,
      `${bytes(f[BYTES])}${f[ENTRIES] < 0 ? '' : `, ${plural(f[ENTRIES], 'entry').replace(/entrys$/, 'entries')}`}`,
      `${ORIGIN_TEXT[f[ORIGIN]]}, event ${f[BORN]}${busy.has(hit[4]) ? '; being merged' : ''}`,
    ];
    const node = element('tip');
    node.textContent = '';
    lines.forEach((text, i) => { const line = document.createElement(i ? 'div' : 'strong'); line.textContent = text; node.append(line); });
    for (const [word, key] of [['from', f[FROM]], ['to', f[TO]]]) {
      const line = document.createElement('div'), code = document.createElement('code');
      code.textContent = family.keys[key];
      line.append(word + ' ', code); node.append(line);
    }
    node.hidden = false;
    const { width, height } = node.getBoundingClientRect();
    node.style.left = Math.max(6, Math.min(innerWidth - width - 8, pointer.clientX + 14)) + 'px';
    node.style.top = (pointer.clientY + height + 24 > innerHeight ? pointer.clientY - height - 12 : pointer.clientY + 16) + 'px';
  }

  data.families.forEach((each, i) => {
    const option = document.createElement('option');
    option.value = i;
    option.textContent = each.table ? `${each.table} (${each.family})` : each.family;
    element('family').append(option);
  });
  element('family-label').hidden = data.families.length < 2;
  for (const note of data.notes) { const item = document.createElement('li'); item.textContent = note; element('notes').append(item); }

  element('family').addEventListener('change', event => { stop(); choose(+event.target.value); });
  element('slider').addEventListener('input', event => { stop(); show(+event.target.value); });
  element('play').addEventListener('click', play);
  element('back').addEventListener('click', () => { stop(); show(at - 1); });
  element('forward').addEventListener('click', () => { stop(); show(at + 1); });
  document.querySelectorAll('[data-view]').forEach(button => button.addEventListener('click', () => turn(button.dataset.view)));
  element('listing').addEventListener('toggle', list);
  element('tree').addEventListener('pointermove', tip);
  element('tree').addEventListener('pointerdown', tip);
  element('tree').addEventListener('pointerleave', hideTip);
  document.querySelectorAll('[data-curve]').forEach(target => {
    const seek = pointer => {
      const area = target.getBoundingClientRect();
      stop();
      show(Math.round((pointer.clientX - area.left) / area.width * (family.events.length - 1)));
    };
    target.addEventListener('pointerdown', seek);
    target.addEventListener('pointermove', pointer => { if (pointer.buttons) seek(pointer); });
  });
  document.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === 'SELECT') return;
    const onButton = event.target.tagName === 'BUTTON' || event.target.tagName === 'SUMMARY';
    const step = event.shiftKey ? 10 : 1;
    const act = {
      ' ': onButton ? undefined : play,
      ArrowLeft: () => { stop(); show(at - step); },
      ArrowRight: () => { stop(); show(at + step); },
      Home: () => { stop(); show(0); },
      End: () => { stop(); show(family.events.length - 1); },
      v: turnOn,
      V: turnOn,
    }[event.key];
    if (act) { event.preventDefault(); act(); }
  });
  const repaint = () => { readPalette(); draw(); };
  window.addEventListener('resize', draw);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', repaint);

  readPalette();
  choose(0);
  turn(VIEWS[hash.get('view')] ? hash.get('view') : 'sublevels');
})();
