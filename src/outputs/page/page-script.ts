/** The script of the page: search, filter, links that open their target. Without it, the page shows the same. */
export const pageScript = `
'use strict';
const byId = (id) => document.getElementById(id);
const form = byId('search');
const readTexts = (elements) => [...elements].map(({ textContent }) => textContent).join(' ').toLowerCase();
const items = [...document.querySelectorAll('.item')].map((element) => ({
  element,
  is: element.dataset.is.split(' '),
  group: element.closest('.group').querySelector('h3').textContent,
  // Exchanges have words of their own, which would match nearly everything.
  text: readTexts([...element.closest('.block').querySelectorAll(':scope > h4, :scope > .id'), ...element.querySelectorAll(
    'summary, .inside > p, .outcomes, .assertions')]),
}));
const cards = [...document.querySelectorAll('#results .card')].map((element) => ({
  element, is: [element.dataset.is], text: readTexts([element]),
}));
const entries = [...items, ...cards];
const narrow = () => {
  const { text, is, group } = form.elements;
  const words = text.value.toLowerCase().split(/\\s+/).filter((word) => word !== '');
  for (const entry of entries)
    entry.element.hidden = !((is.value === '' || entry.is.includes(is.value)) &&
      (group.value === '' || entry.group === group.value) && words.every((word) => entry.text.includes(word)));
  const shown = entries.filter(({ element }) => !element.hidden);
  for (const part of document.querySelectorAll('.block, .group, .chapter'))
    part.hidden = !shown.some(({ element }) => part.contains(element));
  for (const link of document.querySelectorAll('nav li > a'))
    link.parentElement.hidden = byId(link.hash.slice(1)).closest('[hidden]') !== null;
  byId('nothing').hidden = shown.length > 0;
  byId('shown').textContent = items.filter(({ element }) => !element.hidden).length + ' of ' + items.length + ' shown';
};
// A page from an HTTP server without TLS has no clipboard.
if (navigator.clipboard !== undefined)
  for (const pre of document.querySelectorAll('.item pre')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    button.addEventListener('click', async () => {
      try {
        await navigator.clipboard.writeText(pre.textContent);
        button.textContent = 'Copied';
      } catch { button.textContent = 'Not copied'; }
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
  for (let part = target; part !== null; part = part.parentElement) if (part.localName === 'details') part.open = true;
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
narrow();
// After the browser has scrolled there, which loses the focus.
addEventListener('load', () => setTimeout(reveal));
`;
