// The pairs of a json-server behind rule.cjs: each of `rules` says which of `validations` answers a request.
import { addQuery } from '../pairs.mjs';

/** @param {any} database db.json @returns {import('../pairs.mjs').Pair[]} */
export function readPairs({ rules, validations }) {
  return rules.map((/** @type {any} */ { id, query = {}, body, validation }) => {
    const name = `rule ${id}`;
    const answer = validations.find((/** @type {any} */ record) => record.id === validation);
    if (answer === undefined) return { name, unread: `there is no validation '${validation}'` };
    const url = addQuery('/v1/promotions/validation', Object.entries(query));
    const request = { method: 'GET', url, headers: [], ...(body && { body: JSON.stringify(body) }) };
    return { name, request, response: { status: 200, headers: [], body: JSON.stringify(answer) } };
  });
}
