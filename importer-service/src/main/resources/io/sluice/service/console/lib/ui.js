// Where the console gets Preact and htm from: one place to change when they do.
export { html, render, useState, useEffect, useLayoutEffect, useRef, useMemo, useCallback, useErrorBoundary }
  from '../vendor/htm-preact-standalone.js';
