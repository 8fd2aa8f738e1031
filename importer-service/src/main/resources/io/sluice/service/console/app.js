// The console: the frame around all views, which view the address means, and who asks for the token.

import { html, render, useEffect, useErrorBoundary, useRef, useState } from './lib/ui.js';
import { useRoute, href } from './lib/router.js';
import { ListView } from './views/list.js';
import { CreateView } from './views/create.js';
import { JobView } from './views/job.js';
import { NodesView } from './views/nodes.js';
import { TablesView, TableView } from './views/tables.js';
import { ServiceBar } from './parts/service.js';
import { ThemeSwitch } from './parts/theme.js';
import { TokenPrompt } from './parts/token.js';
import { Announcer } from './parts/announce.js';

function App() {
  const { path, query } = useRoute();
  const [broken, mend] = useErrorBoundary(error => console.error(error));
  const place = path[0] === 'imports' && path[1] ? 'job' : path[0] === 'tables' && path[1] ? 'table' : ['new', 'tables', 'nodes'].includes(path[0]) ? path[0] : 'list';
  const current = places => (places.includes(place) ? 'page' : undefined);
  const main = useRef(null);
  const first = useRef(true);
  useEffect(() => {
    mend();
    // A new view begins at its top, for eyes and for screen readers; the first one is where the browser is anyway.
    if (first.current) { first.current = false; return; }
    window.scrollTo(0, 0);
    main.current.querySelector('h1')?.focus({ preventScroll: true });
  }, [place, path[1]]);
  return html`
    <a class="skip" href="#main" onClick=${event => { event.preventDefault(); main.current.focus(); }}>To the content</a>
    <header class="top">
      <a class="brand" href=${href(['imports'])}><svg aria-hidden="true" viewBox="0 0 16 16" width="18" height="18"><rect class="b1" x="1" y="11" width="14" height="3" rx="1"/><rect class="b2" x="1" y="6.5" width="9.5" height="3" rx="1"/><rect class="b3" x="1" y="2" width="5" height="3" rx="1"/></svg>Sluice</a>
      <nav aria-label="Console">
        <a href=${href(['imports'])} aria-current=${current(['list', 'job'])}>Imports</a>
        <a href=${href(['tables'])} aria-current=${current(['tables', 'table'])}>Tables</a>
        <a href=${href(['nodes'])} aria-current=${current(['nodes'])}>Nodes</a>
        <a href=${href(['new'])} class="needs-submit" aria-current=${current(['new'])}>New import</a>
      </nav>
      <${ServiceBar} />
      <${ThemeSwitch} />
    </header>
    <main id="main" tabindex="-1" ref=${main}>
      ${broken
        ? html`<div class="note bad" role="alert"><p>This view could not be drawn: ${String(broken.message || broken)}</p><p><a href=${href(['imports'])}>Back to the list</a>, or reload the page.</p></div>`
        : place === 'job' ? html`<${JobView} key=${path[1]} id=${path[1]} tab=${path[2]} />`
        : place === 'table' ? html`<${TableView} key=${path[1]} name=${path[1]} />`
        : place === 'tables' ? html`<${TablesView} />`
        : place === 'nodes' ? html`<${NodesView} />`
        : place === 'new' ? html`<${CreateView} key=${JSON.stringify(query)} query=${query} />`
        : html`<${ListView} query=${query} />`}
    </main>
    <${TokenPrompt} />
    <${Announcer} />`;
}

render(html`<${App} />`, document.getElementById('app'));
