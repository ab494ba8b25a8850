/** The script of the page: search, filter, links that open their target. Without it, the page shows the same. */
export const pageScript = `
'use strict';
const byId = (id) => document.getElementById(id);
const form = byId('search');
const items = [...document.querySelectorAll('.item')].map((element) => ({
  element,
  is: element.dataset.is.split(' '),
  group: element.dataset.group,
  // Exchanges and pictures have words of their own, which would match nearly everything.
  text: [element.closest('.block').dataset.text, element.dataset.group, ...[...element.querySelectorAll(
    'summary, .inside > p, .outcomes, .assertions')].map((each) => each.textContent)].join(' ').toLowerCase(),
}));
const readText = (element) => {
  const copy = element.cloneNode(true);
  if (copy.localName !== 'figure') for (const figure of copy.querySelectorAll('figure')) figure.remove();
  return copy.textContent.toLowerCase();
};
const others = [...document.querySelectorAll('#results .card, #results figure')].map((element) => ({
  element, is: (element.dataset.is ?? '').split(' '), text: readText(element),
}));
const narrow = () => {
  const { text, is, group } = form.elements;
  const words = text.value.toLowerCase().split(/\\s+/).filter((word) => word !== '');
  const fitsIs = (each) => is.value === '' || each.is.includes(is.value);
  const fitsText = (each) => words.every((word) => each.text.includes(word));
  let shown = 0;
  for (const item of items) {
    const fits = fitsIs(item) && (group.value === '' || item.group === group.value) && fitsText(item);
    item.element.hidden = !fits;
    if (fits) shown += 1;
  }
  // A card of no group, such as a note, is hidden when somebody looks at one group.
  for (const each of others) each.element.hidden = !(fitsIs(each) && group.value === '' && fitsText(each));
  for (const each of others)
    if (!each.element.hidden) for (const inner of each.element.querySelectorAll('figure')) inner.hidden = false;
  for (const block of document.querySelectorAll('.block, .group'))
    block.hidden = block.querySelector('.item:not([hidden])') === null;
  for (const chapter of document.querySelectorAll('.chapter'))
    chapter.hidden = chapter.querySelector('.item:not([hidden]), .card:not([hidden]), figure:not([hidden])') === null;
  for (const link of document.querySelectorAll('nav li > a')) {
    const target = byId(link.hash.slice(1));
    link.parentElement.hidden = target !== null && target.closest('[hidden]') !== null;
  }
  byId('nothing').hidden = document.querySelector('#results .chapter:not([hidden])') !== null;
  byId('shown').textContent = shown + ' of ' + items.length + ' shown';
};
const copyText = async (text) => {
  try { await navigator.clipboard.writeText(text); return true; } catch {}
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  return isCopied;
};
for (const pre of document.querySelectorAll('.item pre')) {
  if (pre.closest('.prose') !== null) continue;
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    button.textContent = (await copyText(pre.textContent)) ? 'Copied' : 'Not copied';
    setTimeout(() => { button.textContent = 'Copy'; }, 2000);
  });
  const frame = document.createElement('div');
  frame.className = 'copied';
  pre.replaceWith(frame);
  frame.append(pre, button);
}
const reveal = () => {
  let target = null;
  try { target = byId(decodeURIComponent(location.hash.slice(1))); } catch {}
  if (target === null) return;
  if (target.closest('[hidden]') !== null) { form.reset(); narrow(); }
  for (let each = target; each !== null; each = each.parentElement) if (each.localName === 'details') each.open = true;
  target.scrollIntoView();
  if (target.localName === 'details') target.querySelector('summary').focus({ preventScroll: true });
};
const openAll = (isOpen) => {
  for (const { element } of items) if (!element.hidden) element.open = isOpen;
};
form.hidden = false;
form.addEventListener('input', narrow);
form.addEventListener('submit', (event) => event.preventDefault());
form.addEventListener('reset', () => setTimeout(narrow));
byId('open-all').addEventListener('click', () => openAll(true));
byId('close-all').addEventListener('click', () => openAll(false));
addEventListener('hashchange', reveal);
document.addEventListener('click', (event) => {
  const link = event.target.closest('a[href^="#"]');
  if (link !== null && link.hash === location.hash) reveal();
});
if (matchMedia('(max-width: 64rem)').matches) byId('contents').open = false;
narrow();
// After the browser has scrolled there, which loses the focus.
addEventListener('load', () => setTimeout(reveal));
`;
