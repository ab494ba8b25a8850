/** The script of the page: search, filter, links that open their target. Without it, the page shows the same. */
export const pageScript = `
'use strict';
const byId = (id) => document.getElementById(id);
const form = byId('search');
const items = [...document.querySelectorAll('.item')].map((element) => ({
  element,
  is: element.dataset.is.split(' '),
  group: element.dataset.group,
  text: [element.closest('.block').dataset.text, element.dataset.group, element.querySelector('summary').textContent]
    .join(' ').toLowerCase(),
}));
const narrow = () => {
  const { text, is, group } = form.elements;
  const words = text.value.toLowerCase().split(/\\s+/).filter((word) => word !== '');
  let shown = 0;
  for (const item of items) {
    const fits = (is.value === '' || item.is.includes(is.value)) && (group.value === '' || item.group === group.value)
      && words.every((word) => item.text.includes(word));
    item.element.hidden = !fits;
    if (fits) shown += 1;
  }
  for (const block of document.querySelectorAll('.block, .group'))
    block.hidden = block.querySelector('.item:not([hidden])') === null;
  byId('shown').textContent = shown + ' of ' + items.length + ' shown';
};
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
