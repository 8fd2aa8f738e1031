// A strip over a key space, one piece per stretch of keys, told apart by pattern and colour. Stretches that agree and lie
// side by side are one piece; others have at least a few pixels, however many there are. One stop of the tab key; arrows
// walk from piece to piece.

import { html, useRef } from '../lib/ui.js';

/**
 * `spans` are in the order of their keys and have a `state`; `selected` is the position of one, `onSelect` gets another;
 * `describe` says a span in words.
 */
export function SpanStrip({ label, spans, selected, onSelect, describe }) {
  const strip = useRef(null);
  const pieces = piecesOf(spans);
  const at = pieces.findIndex(piece => selected >= piece.from && selected <= piece.to);

  const point = event => {
    const piece = event.target.closest('[data-piece]');
    if (piece) onSelect(spanUnder(pieces[+piece.dataset.piece], piece, event.clientX));
  };
  const walk = event => {
    const wrong = direction => {
      for (let i = at + direction; i >= 0 && i < pieces.length; i += direction) if (spans[pieces[i].from].state !== 'ok') return i;
      return at;
    };
    const target = {
      ArrowRight: () => at + 1, ArrowLeft: () => at - 1, Home: () => 0, End: () => pieces.length - 1,
      PageDown: () => wrong(1), PageUp: () => wrong(-1),
    }[event.key]?.();
    if (target === undefined) return;
    event.preventDefault();
    const piece = Math.max(0, Math.min(pieces.length - 1, target));
    onSelect(pieces[piece].from);
    strip.current.children[piece].focus();
  };

  return html`<div class="strip" role="listbox" aria-label=${`${label}; arrows walk, Page Up and Page Down go to what differs`} aria-orientation="horizontal"
      ref=${strip} onPointerMove=${point} onClick=${point} onKeyDown=${walk}>
    ${pieces.map((piece, i) => html`<div key=${i} class=${`span ${spans[piece.from].state}`} role="option" data-piece=${i} tabindex=${i === at ? 0 : -1}
      aria-selected=${i === at ? 'true' : 'false'} aria-label=${words(piece, spans, describe)} onFocus=${() => { if (i !== at) onSelect(piece.from); }} style=${{ flexGrow: piece.to - piece.from + 1 }}></div>`)}
  </div>`;
}

function piecesOf(spans) {
  const pieces = [];
  spans.forEach((span, i) => {
    const last = pieces[pieces.length - 1];
    if (last && span.state === 'ok' && spans[last.to].state === 'ok') last.to = i; else pieces.push({ from: i, to: i });
  });
  return pieces;
}

function spanUnder(piece, element, x) {
  const area = element.getBoundingClientRect();
  const share = Math.max(0, Math.min(0.999, (x - area.left) / Math.max(1, area.width)));
  return piece.from + Math.floor(share * (piece.to - piece.from + 1));
}

const words = (piece, spans, describe) => (piece.from === piece.to
  ? describe(spans[piece.from])
  : `${piece.to - piece.from + 1} stretches that agree, ${spans[piece.from].from || 'first key'} … ${spans[piece.to].to || 'last key'}`);
