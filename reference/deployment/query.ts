import { createDecider } from './decider.js';
import { refuse, refuseBy } from './early-response.js';
import type { DeploymentFacts, HandlerLookup, QueryHandlers } from './handlers.js';
import type { Filter, Parameter } from './parsed-request.js';

const filterName = /^\[?filters\]?\[([^\]]*)\]\[conditions\]\[([^\]]*)\]$/;

export function createQueryHandlers(handlers: HandlerLookup, { behaviours }: DeploymentFacts): QueryHandlers {
  const inQuery = createDecider(behaviours, 'invalid_query_params');

  return {
    readQuery(query) {
      const parameters = splitQuery(query, behaviours['filter-plus-sign'] !== 'as-plus-sign');
      const isAudience = (name: string): boolean => name === 'audienceRulesOnly';
      const isFilter = (name: string): boolean => /^(?:\[filters\]|filters\[)/.test(name);
      for (const { name } of parameters) {
        if (!isAudience(name) && !isFilter(name)) inQuery('unknown-query-parameter', name);
      }
      return {
        filters: parameters
          .filter(({ name }) => isFilter(name))
          .map(handlers().readFilter)
          .filter((filter) => filter !== undefined),
        audienceRulesOnly: handlers().readAudienceRulesOnly(
          parameters.filter(({ name }) => isAudience(name)).map(({ value }) => value),
        ),
      };
    },

    readFilter(parameter) {
      if (isIgnoredSpelling(parameter)) return undefined;
      const { name, value } = parameter;
      const [, field = '', condition = ''] = filterName.exec(name) ?? [];
      const key = /^metadata\.(.*)$/s.exec(field)?.[1];
      if (field !== 'promotion_id' && key === undefined) {
        inQuery('filter-unknown-field', name);
        return undefined;
      }
      const operator = readOperator(condition, name);
      if (operator === undefined) return undefined;
      return key === undefined
        ? { field: 'promotion_id', operator, value }
        : { field: 'metadata', key, operator, value };
    },

    readAudienceRulesOnly(values) {
      const last = values.at(-1);
      if (last === undefined) return false;
      const refuseValue = (status: number): never =>
        refuseBy('audience-rules-only-values', status, 'audienceRulesOnly: not accepted', 'invalid_query_params');
      switch (behaviours['audience-rules-only-values']) {
        case 'only-true':
          return last === 'true';
        case 'some-rejected':
          return last === 'true' || (last === '' && refuseValue(400));
        case 'no-effect':
          return false;
        case 'any-text':
          return last !== '';
        case 'another-choice':
          return last === 'true' || last === '1';
        case 'any-letter-case':
          return last.toLowerCase() === 'true';
        case 'truthy':
          return last !== '' && last !== 'false';
        case 'any-value':
          return true;
        case 'others-rejected':
          return last === 'true' || (last !== 'false' && refuseValue(400));
        case 'server-error':
          return values.length > 1 ? refuseValue(500) : last === 'true';
      }
    },
  };

  /** Whether a filter is ignored for the way in which its parameter is written. */
  function isIgnoredSpelling({ name, encodedBrackets, literalBrackets, hasPlusSign }: Parameter): boolean {
    if (hasPlusSign && inQuery('filter-plus-sign', name) === 'ignored') return true;
    if (encodedBrackets && inQuery('filter-percent-encoded', name) === 'ignored') return true;
    // A deployment reads at least one of the two spellings: it may ignore the literal one only if it reads the other.
    const readsEncoded = behaviours['filter-percent-encoded'] === 'same-as-literal';
    if (literalBrackets && readsEncoded && inQuery('filter-literal-brackets', name) === 'ignored') return true;
    return !name.startsWith('[') && inQuery('filter-without-leading-bracket', name) === 'ignored';
  }

  function readOperator(condition: string, name: string): Filter['operator'] | undefined {
    if (condition === '$is') return '$is';
    switch (inQuery('filter-unknown-operator', name)) {
      case 'negated':
        return condition === '$is_not' ? '$is_not' : refuse(400, `${name}: no such operator`, 'invalid_query_params');
      case 'as-is':
        return '$is';
      case 'ignored':
        return undefined;
    }
  }
}

/**
 * Splits a query string without a library: parsers that know brackets lose the spelling of a name.
 *
 * @param query without the question mark
 * @param plusIsSpace whether a + in a value is a space, as in HTML forms
 */
function splitQuery(query: string, plusIsSpace: boolean): Parameter[] {
  return query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const equals = pair.indexOf('=');
      const name = equals < 0 ? pair : pair.slice(0, equals);
      const value = equals < 0 ? '' : pair.slice(equals + 1);
      return {
        name: decode(name, true),
        value: decode(value, plusIsSpace),
        encodedBrackets: /%5b|%5d/i.test(name),
        literalBrackets: /[[\]]/.test(name),
        hasPlusSign: value.includes('+'),
      };
    });
}

function decode(text: string, plusIsSpace: boolean): string {
  try {
    return decodeURIComponent(plusIsSpace ? text.replaceAll('+', ' ') : text);
  } catch {
    // A stray percent sign is kept as it is.
    return text;
  }
}
