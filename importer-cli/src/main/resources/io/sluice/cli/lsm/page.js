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
  const MARGIN = 40;
  const MAX_ROW = 24, MIN_ROW = 3, MIN_AGE_ROW = 2, TREE_PIXELS = 430;
  const MAX_LISTED = 500;
  const PLAY_MILLIS = 20000;

  const hash = new Map(location.hash.slice(1).split('&').map(part => part.split('=')));
  if (hash.has('theme')) document.documentElement.dataset.theme = hash.get('theme');

  let family;          // the column family shown
  let at = -1;         // position of the event shown, -1 before the first
  let live = new Set();
  let busy = new Map();
  let rows;            // levels that ever hold files and the most sublevels of level 0
  let byAge = hash.get('view') === 'age';
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

  /** Sublevels of level 0: from the oldest on, each file lies above those that it overlaps. */
  function level0(files) {
    const sublevels = new Map();
    const placed = [];
    for (const file of files.slice().sort((x, y) => family.files[x][BORN] - family.files[y][BORN] || x - y)) {
      const f = family.files[file];
      let sublevel = 0;
      for (const below of placed) {
        const b = family.files[below];
        if (b[FROM] <= f[TO] && f[FROM] <= b[TO]) sublevel = Math.max(sublevel, sublevels.get(below) + 1);
      }
      sublevels.set(file, sublevel);
      placed.push(file);
    }
    return sublevels;
  }

  /** Rows that the whole history needs, so that they stay where they are while it plays. */
  function allRows() {
    const levels = new Set();
    for (const file of family.files) if (file[LEVEL] > 0) levels.add(file[LEVEL]);
    let most = 0;
    const l0 = new Set();
    for (const event of family.events) {
      let changed = false;
      for (const file of event.d || []) changed = l0.delete(file) || changed;
      for (const file of event.a || []) if (family.files[file][LEVEL] === 0) { l0.add(file); changed = true; }
      if (changed && l0.size > most) most = Math.max(most, 1 + Math.max(...level0([...l0]).values()));
    }
    return { levels: [...levels].sort((x, y) => y - x), level0: most };
  }

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

  function place() {
    const event = family.events[at];
    const gone = event.d || [];
    if (byAge) {
      const files = [...new Set([...live, ...gone])].sort((x, y) => family.files[y][BORN] - family.files[x][BORN] || y - x);
      return { rows: files.length, labels: [], places: files.map((file, row) => [file, row]) };
    }
    const l0 = [...live].filter(file => family.files[file][LEVEL] === 0);
    const l0Gone = gone.filter(file => family.files[file][LEVEL] === 0);
    const sublevels = level0(l0);
    const sublevelsBefore = level0([...l0Gone, ...l0.filter(file => !(event.a || []).includes(file))]);
    const total = rows.level0 + rows.levels.length;
    const rowOf = (file, before) => {
      const level = family.files[file][LEVEL];
      if (level > 0) return total - 1 - rows.levels.indexOf(level);
      return rows.level0 - 1 - (before ? sublevelsBefore : sublevels).get(file);
    };
    const labels = rows.levels.map((level, i) => [total - 1 - i, 'L' + level]);
    for (let i = 0; i < rows.level0; i++) labels.push([rows.level0 - 1 - i, 'L0.' + i]);
    return {
      rows: total,
      labels,
      places: [...gone.map(file => [file, Math.max(0, rowOf(file, true))]), ...[...live].map(file => [file, Math.max(0, rowOf(file, false))])],
    };
  }

  function drawTree() {
    const layout = place();
    const least = byAge ? MIN_AGE_ROW : MIN_ROW;
    const row = Math.max(least, Math.min(MAX_ROW, TREE_PIXELS / Math.max(1, layout.rows)));
    const pixels = Math.max(byAge ? TREE_PIXELS : 90, Math.ceil(layout.rows * row) + 6);
    const { pen, width, height } = canvas(element('tree'), pixels);
    const x = scale(width);
    const top = byAge ? 3 : height - layout.rows * row - 3;
    const event = family.events[at];
    const fresh = new Set(event.a || []);
    const gone = new Set(event.d || []);
    boxes = [];

    if (!byAge) {
      let lastLabel = -100;
      layout.labels.sort((one, other) => other[0] - one[0]).forEach(([position, label], i) => {
        const y = top + position * row;
        if (i % 2 === 0 && row >= 6) { pen.fillStyle = palette.band; pen.fillRect(MARGIN, y, width - MARGIN, row); }
        if (lastLabel === -100 || lastLabel - y >= 13) {
          pen.fillStyle = palette.soft; pen.textAlign = 'right';
          pen.fillText(label, MARGIN - 7, y + row / 2);
          lastLabel = y;
        }
      });
    } else {
      pen.save();
      pen.fillStyle = palette.soft; pen.textAlign = 'center';
      pen.translate(12, Math.min(height, 200) / 2); pen.rotate(-Math.PI / 2);
      pen.fillText('← older   newer →', 0, 0);
      pen.restore();
    }

    const gap = row >= 8 ? 2 : row >= 4 ? 1 : .4;
    for (const [file, position] of layout.places) {
      const f = family.files[file];
      const left = x(f[FROM]);
      const wide = Math.max(2.5, x(f[TO]) - left);
      const y = top + position * row + gap / 2;
      const tall = row - gap;
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
        if (fresh.has(file)) { pen.strokeStyle = palette.ink; pen.lineWidth = 2; pen.beginPath(); pen.roundRect(left, y, wide, tall, round); pen.stroke(); }
        const label = f[NAME].replace(/^0+|\.sst$/g, '');
        if (tall >= 12 && wide > label.length * 7 + 10) {
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
    element('tree').setAttribute('aria-label', `${plural(live.size, 'file')} ${byAge ? 'by age, newest on top' : 'by sublevels'}; the table below lists them`);
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
    const most = Math.max(1, ...family.events.map(event => event.f[HEIGHT]));
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
    const time = event.t ? new Date(event.t).toISOString().replace('T', ' ').replace(/\.000Z$|Z$/, ' UTC') : '';
    part('time', [time, family.events.length === event.q && at + 1 === event.q ? '' : `number ${event.q} in the ${data.source}`].filter(Boolean).join(', '));
    const f = event.f;
    element('f-height').textContent = number(f[HEIGHT]);
    element('f-files').textContent = number(f[FILES]);
    element('f-l0').textContent = number(f[L0]);
    element('f-bytes').textContent = bytes(f[SIZE]);
    element('f-wa').textContent = amplification(f).toFixed(2);
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
    rows = allRows();
    element('slider').max = family.events.length - 1;
    element('first-key').textContent = family.keys[0] || '';
    element('last-key').textContent = family.keys[family.keys.length - 1] || '';
    element('subject').textContent = (family.table ? `table ${family.table}` : `column family ${family.family}`) + ` in ${data.title}`;
    element('legend-busy').hidden = !family.events.some(event => event.b);
    const wanted = hash.has('at') ? +hash.get('at') : data.at;
    let target = family.events.length - 1;
    if (wanted !== undefined) while (target > 0 && family.events[target].q > wanted) target--;
    show(target);
  }

  function view(age) {
    byAge = age;
    element('by-age').setAttribute('aria-pressed', age);
    element('by-sublevel').setAttribute('aria-pressed', !age);
    draw();
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
  element('by-sublevel').addEventListener('click', () => view(false));
  element('by-age').addEventListener('click', () => view(true));
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
      v: () => view(!byAge),
      V: () => view(!byAge),
    }[event.key];
    if (act) { event.preventDefault(); act(); }
  });
  const repaint = () => { readPalette(); draw(); };
  window.addEventListener('resize', draw);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', repaint);

  readPalette();
  choose(0);
  view(byAge);
})();
