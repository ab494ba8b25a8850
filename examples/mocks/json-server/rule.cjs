// json-server db.json --middlewares rule.cjs
//
// json-server (0.17) looks up records by their path and query, and no record by the body of a request. This rule does: a
// request that equals one of `rules` in db.json gets the validation that the rule names.
const { readFileSync } = require('node:fs');
const { isDeepStrictEqual } = require('node:util');

const { rules } = JSON.parse(readFileSync('db.json', 'utf8'));

/** @param {any} request @param {unknown} _ @param {() => void} next */
module.exports = (request, _, next) => {
  const { pathname, searchParams } = new URL(request.url, 'http://localhost');
  const asked = { query: Object.fromEntries(searchParams), body: request.body };
  const found = rules.find((/** @type {any} */ { query = {}, body }) => isDeepStrictEqual({ query, body }, asked));
  if (pathname === '/v1/promotions/validation' && found) request.url = `/validations/${found.validation}`;
  next();
};
