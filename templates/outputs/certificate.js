// Folds what nobody needs at first, opens what a link leads to, and filters cases and questions. Without it, all is open.
const folded = [...document.querySelectorAll('details[data-folded]')];
const groups = [...document.querySelectorAll('[data-group]')];
const items = [...document.querySelectorAll('[data-item]')];
const filter = document.querySelector('#filter');
const { text, attention } = filter.elements;

/** The text by which an item is found: its own, and the headings of its groups. */
const texts = new Map(
  items.map((item) => {
    const headings = groups
      .filter((group) => group.contains(item))
      .map((group) => group.querySelector(':scope > summary'));
    return [item, [item, ...headings].map((element) => element?.textContent.toLowerCase()).join(' ')];
  }),
);

function fold() {
  for (const details of folded) details.open = false;
}

function applyFilter() {
  const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
  const isFiltered = words.length > 0 || attention.checked;
  const isShown = (item) =>
    words.every((word) => texts.get(item).includes(word)) && (!attention.checked || 'attention' in item.dataset);
  for (const item of items) item.hidden = !isShown(item);
  for (const group of groups) {
    group.hidden = isFiltered && group.querySelector('[data-item]:not([hidden])') === null;
    if ('open' in group) group.open = isFiltered || !('folded' in group.dataset);
  }
  const shown = items.filter((item) => !item.hidden).length;
  filter.querySelector('output').textContent = isFiltered ? `${shown} of ${items.length} shown` : '';
}

/** Opens what a link leads to, also if the filter hides it. */
function reveal(id) {
  const target = document.getElementById(id);
  if (target?.closest('[hidden]')) {
    filter.reset();
    applyFilter();
  }
  for (let element = target; element; element = element.parentElement) if ('open' in element) element.open = true;
  return target;
}

fold();
filter.hidden = false;
filter.addEventListener('input', applyFilter);
filter.addEventListener('submit', (event) => event.preventDefault());
document.addEventListener('click', ({ target }) => reveal(target.closest('a')?.hash.slice(1)));
addEventListener('hashchange', () => reveal(location.hash.slice(1))?.scrollIntoView());
reveal(location.hash.slice(1))?.scrollIntoView();
