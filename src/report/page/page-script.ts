/** The script of the page: search, filter, links that open their target. Without it, the page shows the same. */
export const pageScript = `
'use strict';
const byId = (id) => document.getElementById(id);
const form = byId('search');
const items = [...document.querySelectorAll('.item')].map((element) => ({
  element,
  is: element.dataset.is.split(' '),
  // Exchanges have words of their own, which would match nearly everything.
  text: [...element.closest('.block').querySelectorAll(':scope > .lead, :scope > .id'), ...element.querySelectorAll(
    'summary, .inside > p, .outcomes, .assertions')].map((each) => each.textContent).join(' ').toLowerCase(),
}));
const narrow = () => {
  const { text, is } = form.elements;
  const words = text.value.toLowerCase().split(/\\s+/).filter((word) => word !== '');
  const isNarrowed = words.length > 0 || is.value !== '';
  for (const item of items)
    item.element.hidden = !((is.value === '' || item.is.includes(is.value)) && words.every((word) => item.text.includes(word)));
  for (const each of document.querySelectorAll('.block, .group, .chapter'))
    each.hidden = isNarrowed && each.querySelector('.item:not([hidden])') === null;
  byId('shown').textContent = items.filter(({ element }) => !element.hidden).length + ' of ' + items.length + ' shown';
};
// A page from an HTTP server without TLS has no clipboard.
if (navigator.clipboard !== undefined)
  for (const pre of document.querySelectorAll('.item pre')) {
    if (pre.closest('.prose') !== null) continue;
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(pre.textContent);
      button.textContent = 'Copied';
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
form.hidden = false;
form.addEventListener('input', narrow);
form.addEventListener('submit', (event) => event.preventDefault());
form.addEventListener('reset', () => setTimeout(narrow));
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
