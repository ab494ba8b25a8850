/** The style of the page: light and dark, wide and narrow, on screen and on paper. */
export const pageStyle = `
:root {
  color-scheme: light dark;
  --paper: #f7f7f5; --card: #fff; --ink: #1d2025; --soft: #565d68; --line: #dfe0dc; --faint: #efefec; --link: #1f5fae;
  --pass: #1a6b38; --pass-back: #e2f2e6; --fail: #b3202c; --fail-back: #fce8e8; --open: #855600; --open-back: #fbf0d6;
  --none-back: #ebecea;
}
@media (prefers-color-scheme: dark) { :root {
  --paper: #14161a; --card: #1c1f24; --ink: #e7e8ea; --soft: #a3aab5; --line: #33373f; --faint: #24282f; --link: #8ab8f2;
  --pass: #79cf95; --pass-back: #16311f; --fail: #ff9a9a; --fail-back: #42191d; --open: #e8bd62; --open-back: #372a10;
  --none-back: #2a2e35;
} }
* { box-sizing: border-box; }
html { scroll-padding-top: 7rem; -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.55 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; overflow-wrap: anywhere; }
a { color: var(--link); }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
h1, h2, h3, h4, h5, p, ul { margin: 0; padding: 0; }
h1 { font-size: 2rem; line-height: 1.2; } h2 { font-size: 1.35rem; } h3 { font-size: 1.05rem; } h4 { font-size: 1rem; }
h5 { font-size: .875rem; margin: 1.1rem 0 .35rem; }
small, .id { font-size: .8125rem; color: var(--soft); }
code, pre { font: .8125rem/1.55 ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace; }
pre { margin: .35rem 0 0; padding: .65rem .8rem; background: var(--faint); border-radius: 6px; white-space: pre-wrap; }
.skip { position: absolute; left: -99rem; } .skip:focus { left: 1rem; top: 1rem; background: var(--card); padding: .5rem 1rem; z-index: 2; }

.page { display: grid; gap: 0 3rem; max-width: 82rem; margin: 0 auto; padding: 0 1.5rem 5rem; }
.page > * { min-width: 0; }
header { padding: 2.5rem 0 1.75rem; color: var(--soft); } h1 { color: var(--ink); }
.verdict { display: inline-block; margin: .7rem 0; padding: .4rem .95rem; border-radius: 99px; font-weight: 650; }
nav ul { list-style: none; } nav a { display: block; padding: .2rem 0; text-decoration: none; color: inherit; } nav a:hover { text-decoration: underline; }

.chapter { margin-top: 3rem; } .chapter:first-child { margin-top: 0; }
.chapter > h2 { margin-bottom: .4rem; }
.group { margin-top: 1.75rem; } .group > h3 { margin-bottom: .6rem; color: var(--soft); }
.card, .block { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 1rem 1.15rem; margin-bottom: .7rem; }
.card[data-is=fail] { border-left: 4px solid var(--fail); } .card[data-is=inconclusive] { border-left: 4px solid var(--open); }
.card > * + * { margin-top: .4rem; }
.plain, .assertions { padding-left: 1.2rem; } .plain li + li { margin-top: .3rem; }
.badge { display: inline-block; border-radius: 99px; padding: .05rem .6rem; font-size: .8125rem; font-weight: 600; }
.pass, .conforms { color: var(--pass); background: var(--pass-back); }
.fail, .error, .does-not-conform, .drift { color: var(--fail); background: var(--fail-back); }
.inconclusive, .incomplete, .warning { color: var(--open); background: var(--open-back); }
.not-run, .not-applicable, .outcome { color: var(--soft); background: var(--none-back); }

summary { cursor: pointer; }
.item { border-top: 1px solid var(--line); padding: .5rem 0 .1rem; margin-top: .5rem; }
.question > .item { border-top: 0; margin: 0; padding: 0; }
.item > summary small, .item > summary .answer { display: block; font-weight: 400; margin: .1rem 0 0 1.1rem; }
.inside { padding: .5rem 0 1rem 1.1rem; }
.exchange { border: 1px solid var(--line); border-radius: 8px; padding: .45rem .8rem; margin-top: .45rem; }
.outcomes { list-style: none; }
.failure { border-left: 3px solid var(--fail); padding-left: 1rem; margin-bottom: 1rem; }


@media (min-width: 64.01rem) {
  .page { grid-template-columns: 14rem minmax(0, 1fr); } header { grid-column: 1 / -1; }
  nav { position: sticky; top: 0; align-self: start; max-height: 100vh; overflow: auto; padding: 1rem 0; }
}
@media (max-width: 40rem) {
  .page { padding: 0 1rem 4rem; } .inside { padding-left: 0; } .card, .block { padding: .85rem .9rem; }
}
@media print {
  :root { color-scheme: light; --paper: #fff; }
  nav, .skip { display: none; } .page { display: block; max-width: none; padding: 0; }
  .block, .card { break-inside: avoid-page; } body { font-size: 10pt; } * { print-color-adjust: exact; }
}
`;
