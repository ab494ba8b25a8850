// The forms of files that have pairs of a request and a response: how each is recognised, and what reads it.

/**
 * @typedef {object} Form
 * @property {string} name
 * @property {string} has what each file of this form has
 * @property {(document: any) => boolean} fits whether a JSON document has that
 * @property {string} reader the module that reads the pairs
 */

/** By the names that `--from` takes. @type {Readonly<Record<string, Form>>} */
export const forms = {
  har: {
    name: 'an HTTP Archive (HAR)',
    has: "a list 'log.entries' of requests with their URLs",
    fits: (document) => isListOf(document?.log?.entries, ({ request }) => typeof request?.url === 'string'),
    reader: './read-har.mjs',
  },
  wiremock: {
    name: 'mappings of WireMock',
    has: "'request' and 'response', or a list 'mappings' of these",
    fits: (document) =>
      isListOf(
        document?.mappings ?? [document].flat(),
        ({ request, response }) => isObject(request) && isObject(response),
      ),
    reader: '../mocks/wiremock/read-pairs.mjs',
  },
  mockoon: {
    name: 'an environment of Mockoon',
    has: "a list 'routes', each with a list 'responses'",
    fits: (document) => isListOf(document?.routes, ({ responses }) => isListOf(responses, isObject)),
    reader: '../mocks/mockoon/read-pairs.mjs',
  },
  mockserver: {
    name: 'expectations of MockServer',
    has: "'httpRequest' and 'httpResponse', or a list of these",
    fits: (document) =>
      isListOf([document].flat(), (expectation) => Object.keys(expectation).some((key) => key.startsWith('http'))),
    reader: '../mocks/mockserver/read-pairs.mjs',
  },
  'json-server': {
    name: 'a db.json of json-server',
    has: "a list 'rules' and a list 'validations'",
    fits: (document) => isListOf(document?.rules, isObject) && isListOf(document?.validations, isObject),
    reader: '../mocks/json-server/read-pairs.mjs',
  },
  nock: {
    name: 'definitions of nock',
    has: "a list, each entry with 'scope' and 'path'",
    fits: (document) => isListOf(document, ({ scope, path }) => typeof scope === 'string' && typeof path === 'string'),
    reader: '../mocks/nock/read-pairs.mjs',
  },
};

/** Whether a document is no traffic, but says what a deployment holds. @param {any} document */
export function isDataFile(document) {
  return isObject(document) && Array.isArray(document.tiers);
}

/** Says what a document is in place of what it should be. @param {any} document @returns {string} empty if it is unknown */
export function describeOtherForm(document) {
  if (isDataFile(document)) return 'It is a data file, which comes before the files with traffic.';
  // An empty list may be of any form.
  const [format, form] =
    Object.entries(forms).find(([, { fits }]) => !isListOf(document, () => false) && fits(document)) ?? [];
  return form === undefined ? '' : `It seems to be ${form.name}: use --from ${format}.`;
}

/** @param {unknown} value @returns {boolean} */
function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** @param {unknown} list @param {(entry: any) => boolean} fits @returns {boolean} */
function isListOf(list, fits) {
  return Array.isArray(list) && list.every((entry) => isObject(entry) && fits(entry));
}
