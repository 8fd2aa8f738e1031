// The drawn parts of the LSM timeline: the tree with its legend and what one points at, and the curves that can be clicked.

import { html, useEffect, useLayoutEffect, useRef, useState } from '../lib/ui.js';
import { plural } from '../lib/format.js';
import { L0, ORIGIN, ORIGINS, VIEWS } from '../lsm/tree.js';
import { CURVES, PALETTE, drawCurve, drawSkyline, drawTree, fileAt } from '../lsm/draw.js';
import { onThemeChange, readPalette } from '../parts/theme.js';

/** Draws after each change, when the place changes its size, and when colours change. */
function useDrawing(place, draw) {
  const latest = useRef(draw);
  latest.current = draw;
  useLayoutEffect(() => { draw(readPalette(PALETTE)); });
  useEffect(() => {
    const again = () => latest.current(readPalette(PALETTE));
    let width = place.current.clientWidth;
    const fitted = new ResizeObserver(() => {
      // Drawing sets heights; only a new width is a reason to draw.
      if (place.current && place.current.clientWidth !== width) { width = place.current.clientWidth; again(); }
    });
    fitted.observe(place.current);
    const stop = onThemeChange(again);
    return () => { stop(); fitted.disconnect(); };
  }, []);
}

export function LsmPicture({ tree, view }) {
  const place = useRef(null), picture = useRef(null), skyline = useRef(null), boxes = useRef([]);
  const [pointed, point] = useState(null);
  useDrawing(place, palette => {
    boxes.current = drawTree(picture.current, tree, view, palette);
    drawSkyline(skyline.current, tree, palette);
  });
  const find = event => {
    const area = picture.current.getBoundingClientRect();
    const file = fileAt(boxes.current, event.clientX - area.left, event.clientY - area.top);
    point(file === undefined ? null : { file, x: event.clientX, y: event.clientY });
  };
  const origins = new Set(tree.files.map(file => file[ORIGIN]));
  return html`<section class="panel picture" aria-label="Files over the key space" ref=${place}>
    <ul class="legend" aria-label="Colours">
      ${Object.entries(ORIGINS).filter(([origin]) => origins.has(origin)).map(([origin, text]) => html`<li key=${origin}><i class=${`swatch ${origin}`}></i>${text}</li>`)}
      <li key="fresh"><i class="swatch fresh"></i>came with this event</li><li key="gone"><i class="swatch went"></i>went with it</li>
      ${tree.events.some(event => event.b) && html`<li key="busy"><i class="swatch busy"></i>being merged</li>`}
    </ul>
    <div class="scroll tree" tabindex="0" role="group" aria-label="Drawing"><canvas ref=${picture} role="img" aria-label=${`${plural(tree.live.size, 'file')} ${VIEWS[view]}; the table below lists them`}
      onPointerMove=${find} onPointerDown=${find} onPointerLeave=${() => point(null)}></canvas></div>
    <canvas ref=${skyline} class="skyline" role="img" aria-label=${`Files over each key: at most ${tree.event.f[0]}`}></canvas>
    <p class="axis"><span>${tree.keys[0] || ''}</span><span>${tree.keys[tree.keys.length - 1] || ''}</span></p>
    ${pointed && tree.files[pointed.file] && html`<${Tip} at=${pointed} file=${tree.describe(pointed.file)} />`}
  </section>`;
}

function Tip({ at, file }) {
  const tip = useRef(null);
  useLayoutEffect(() => {
    const { width, height } = tip.current.getBoundingClientRect();
    tip.current.style.left = `${Math.max(6, Math.min(innerWidth - width - 6, at.x + 14))}px`;
    tip.current.style.top = `${at.y + height + 24 > innerHeight ? at.y - height - 12 : at.y + 16}px`;
  });
  return html`<div class="tip" ref=${tip}><b>${file.name}</b>${file.lines.map(line => html`<div>${line}</div>`)}<div><code>${file.from}</code> … <code>${file.to}</code></div></div>`;
}

export function LsmCurves({ tree, onSeek }) {
  return html`<section class="curves" aria-label="Figures over all events">
    ${Object.entries(CURVES).map(([name, curve]) => html`<${Curve} key=${name} curve=${curve} tree=${tree} onSeek=${onSeek}
      note=${name === 'files' && tree.event.f[L0] ? `, ${tree.event.f[L0]} in level 0` : ''} />`)}
  </section>`;
}

function Curve({ curve, tree, note, onSeek }) {
  const place = useRef(null), canvas = useRef(null);
  const [most, setMost] = useState(0);
  useDrawing(place, palette => setMost(drawCurve(canvas.current, tree, curve, palette)));
  const seek = event => {
    const area = canvas.current.getBoundingClientRect();
    onSeek(Math.round((event.clientX - area.left) / area.width * tree.last));
  };
  const now = curve.text(curve.of(tree.event));
  return html`<figure class="panel" ref=${place}><figcaption>${curve.name}${note}</figcaption><div class="value">${now}</div>
    <canvas ref=${canvas} role="img" aria-label=${`${curve.name} over ${plural(tree.events.length, 'event')}: ${now} here, at most ${curve.text(most)}`}
      onPointerDown=${seek} onPointerMove=${event => { if (event.buttons) seek(event); }}></canvas></figure>`;
}
