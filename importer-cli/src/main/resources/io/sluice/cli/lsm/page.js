// The page of `sluice lsm --html`: what its controls do. The tree, its drawing and the forms of values are modules of the
// service's console (lsm/tree.js, lsm/draw.js, lib/format.js), which HtmlPage puts before this one.

{
  const data = JSON.parse(document.getElementById('data').textContent);
  const element = id => document.getElementById(id);

  const MAX_LISTED = 500;
  const PLAY_MILLIS = 20000;

  const hash = new Map(location.hash.slice(1).split('&').map(part => part.split('=')));
  if (hash.has('theme')) document.documentElement.dataset.theme = hash.get('theme');

  let tree;            // the column family shown, at the event shown
  let view = 'sublevels';
  let boxes = [];      // what is drawn where, for pointing at
  let timer = 0;
  let palette = {};

  function readPalette() {
    const style = getComputedStyle(document.documentElement);
    palette = Object.fromEntries(PALETTE.map(name => [name, style.getPropertyValue('--' + name).trim()]));
  }

  // Words.

  function words() {
    const event = tree.event;
    const caption = element('caption');
    caption.textContent = '';
    const part = (tag, text, name) => {
      const node = document.createElement(tag);
      node.textContent = text;
      if (name) node.className = name;
      caption.append(node, ' ');
    };
    part('span', `Event ${number(tree.at + 1)} of ${number(tree.events.length)}`, 'number');
    part('b', tree.sentence());
    const time = event.t ? new Date(event.t).toISOString().replace('T', ' ').replace(/\.\d+Z$/, ' UTC') : '';
    const place = event.q === tree.at + 1 ? '' : `number ${event.q} in the ${data.source}`;
    part('time', [time, place].filter(Boolean).join(', '));
    const f = event.f;
    element('level0').textContent = f[L0] ? `, ${number(f[L0])} in level 0` : '';
    element('slider').value = tree.at;
    element('slider').setAttribute('aria-valuetext', `event ${tree.at + 1}: ${tree.sentence()}`);
  }

  function list() {
    if (!element('listing').open) return;
    const body = element('rows');
    body.textContent = '';
    const files = [...tree.live].sort((x, y) => tree.files[x][LEVEL] - tree.files[y][LEVEL] || tree.files[x][FROM] - tree.files[y][FROM]);
    const line = cells => {
      const tr = document.createElement('tr');
      for (const cell of cells) { const td = document.createElement('td'); td.textContent = cell; tr.append(td); }
      body.append(tr);
    };
    for (const file of files.slice(0, MAX_LISTED)) {
      const f = tree.files[file];
      line([f[NAME], f[LEVEL], tree.keys[f[FROM]], tree.keys[f[TO]], number(f[BYTES]), f[ENTRIES] < 0 ? '' : number(f[ENTRIES]), `${f[ORIGIN]}, event ${f[BORN]}`]);
    }
    if (files.length > MAX_LISTED) line([`and ${number(files.length - MAX_LISTED)} more`]);
  }

  function curves() {
    document.querySelectorAll('[data-curve]').forEach(target => {
      const curve = CURVES[target.dataset.curve];
      const most = drawCurve(target, tree, curve, palette);
      const now = curve.text(curve.of(tree.event));
      element('c-' + target.dataset.curve).textContent = now;
      target.setAttribute('aria-label', `${curve.name} over ${plural(tree.events.length, 'event')}: ${now} now, at most ${curve.text(most)}`);
    });
  }

  let asked = false;
  function draw() {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      words();
      boxes = drawTree(element('tree'), tree, view, palette);
      element('tree').setAttribute('aria-label', `${plural(tree.live.size, 'file')} ${VIEWS[view]}; the table below lists them`);
      element('skyline').setAttribute('aria-label', `Files over each key: at most ${drawSkyline(element('skyline'), tree, palette)}`);
      list();
      curves();
    });
  }

  function show(target) { tree.go(target); hideTip(); draw(); }

  // Controls.

  function choose(index) {
    tree = new Tree(data.families[index]);
    element('slider').max = tree.last;
    element('first-key').textContent = tree.keys[0] || '';
    element('last-key').textContent = tree.keys[tree.keys.length - 1] || '';
    element('subject').textContent = (tree.table ? `table ${tree.table}` : `column family ${tree.family}`) + ` in ${data.title}`;
    element('legend-busy').hidden = !tree.events.some(event => event.b);
    const origins = new Set(tree.files.map(file => file[ORIGIN]));
    document.querySelectorAll('[data-origin]').forEach(item => { item.hidden = !origins.has(item.dataset.origin); });
    const wanted = hash.has('at') ? +hash.get('at') : data.at;
    let target = tree.last;
    if (wanted !== undefined) while (target > 0 && tree.events[target].q > wanted) target--;
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
    if (tree.at === tree.last) show(0);
    element('play').textContent = '❚❚';
    element('play').setAttribute('aria-label', 'Pause');
    // The whole history in twenty seconds, but never faster than a reader can follow a short one.
    const perMillisecond = Math.min(Math.max(3, tree.events.length * 1000 / PLAY_MILLIS), 1e6) / 1000;
    const begun = performance.now(), from = tree.at;
    const step = now => {
      const target = from + Math.floor((now - begun) * perMillisecond);
      if (target !== tree.at) show(target);
      if (tree.at >= tree.last) return stop();
      timer = requestAnimationFrame(step);
    };
    timer = requestAnimationFrame(step);
  }

  function hideTip() { element('tip').hidden = true; }

  function tip(pointer) {
    const area = element('tree').getBoundingClientRect();
    const file = fileAt(boxes, pointer.clientX - area.left, pointer.clientY - area.top);
    if (file === undefined) return hideTip();
    const { name, lines, from, to } = tree.describe(file);
    const node = element('tip');
    node.textContent = '';
    [name, ...lines].forEach((text, i) => { const line = document.createElement(i ? 'div' : 'strong'); line.textContent = text; node.append(line); });
    for (const [word, key] of [['from', from], ['to', to]]) {
      const line = document.createElement('div'), code = document.createElement('code');
      code.textContent = key;
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
  element('back').addEventListener('click', () => { stop(); show(tree.at - 1); });
  element('forward').addEventListener('click', () => { stop(); show(tree.at + 1); });
  document.querySelectorAll('[data-view]').forEach(button => button.addEventListener('click', () => turn(button.dataset.view)));
  element('listing').addEventListener('toggle', list);
  element('tree').addEventListener('pointermove', tip);
  element('tree').addEventListener('pointerdown', tip);
  element('tree').addEventListener('pointerleave', hideTip);
  document.querySelectorAll('[data-curve]').forEach(target => {
    const seek = pointer => {
      const area = target.getBoundingClientRect();
      stop();
      show(Math.round((pointer.clientX - area.left) / area.width * tree.last));
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
      ArrowLeft: () => { stop(); show(tree.at - step); },
      ArrowRight: () => { stop(); show(tree.at + step); },
      Home: () => { stop(); show(0); },
      End: () => { stop(); show(tree.last); },
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
}
