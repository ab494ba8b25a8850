export const pageStyle = `
:root {
  color-scheme: light dark;
  --paper: light-dark(#f7f7f5, #14161a); --card: light-dark(#fff, #1c1f24); --ink: light-dark(#1d2025, #e7e8ea);
  --soft: light-dark(#565d68, #a3aab5); --line: light-dark(#dfe0dc, #33373f); --faint: light-dark(#efefec, #24282f);
  --link: light-dark(#1f5fae, #8ab8f2); --none-back: light-dark(#ebecea, #2a2e35);
  --pass: light-dark(#1a6b38, #79cf95); --pass-back: light-dark(#e2f2e6, #16311f);
  --fail: light-dark(#b3202c, #ff9a9a); --fail-back: light-dark(#fce8e8, #42191d);
  --open: light-dark(#855600, #e8bd62); --open-back: light-dark(#fbf0d6, #372a10);
}
* { box-sizing: border-box; }
html { scroll-padding-top: 7rem; -webkit-text-size-adjust: 100%; }
body { max-width: 64rem; margin: 0 auto; padding: 0 1rem 4rem; background: var(--paper); color: var(--ink); font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
a { color: var(--link); }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
h1, h2, h3, h4, h5, p, ul { margin: 0; padding: 0; }
h2 { margin-bottom: .4rem; } h3 { font-size: 1.05rem; } h4 { font-size: 1rem; } h5 { font-size: .875rem; margin: 1.1rem 0 .35rem; }
small, .id { font-size: .8125rem; color: var(--soft); }
code, pre { font: .8125rem/1.55 ui-monospace, Menlo, Consolas, monospace; }
pre { margin: .35rem 0 0; padding: .65rem .8rem; background: var(--faint); border-radius: 6px; white-space: pre-wrap; }

header { padding: 2.5rem 0 1.75rem; color: var(--soft); } h1 { color: var(--ink); }
.verdict { display: inline-block; margin: .7rem 0; padding: .4rem .95rem; border-radius: 99px; font-weight: 650; }
nav ul { list-style: none; }
.chapter { margin-top: 3rem; }
.group { margin-top: 1.75rem; } .group > h3 { margin-bottom: .6rem; color: var(--soft); }
.card, .block { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 1rem 1.15rem; margin-bottom: .7rem; }
.card[data-is=fail] { border-left: 4px solid var(--fail); } .card[data-is=inconclusive] { border-left: 4px solid var(--open); }
.card > * + * { margin-top: .4rem; }
.plain { padding-left: 1.2rem; } .plain li + li { margin-top: .3rem; }
.badge { display: inline-block; border-radius: 99px; padding: .05rem .6rem; font-size: .8125rem; font-weight: 600; }
.pass, .conforms { color: var(--pass); background: var(--pass-back); }
.fail, .error, .does-not-conform, .drift { color: var(--fail); background: var(--fail-back); }
.inconclusive, .incomplete, .warning { color: var(--open); background: var(--open-back); }
code.badge, .not-run, .not-applicable { color: var(--soft); background: var(--none-back); }

summary { cursor: pointer; }
.item { border-top: 1px solid var(--line); padding: .5rem 0 .1rem; margin-top: .5rem; }
.item > summary small { display: block; margin: .1rem 0 0 1.1rem; }
.inside { padding: .5rem 0 1rem 1.1rem; }
@media print { :root { color-scheme: light; } .block, .card { break-inside: avoid-page; } }
`;
