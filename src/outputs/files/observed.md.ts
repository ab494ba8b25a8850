import { undeterminedOutcome } from '../../cases/test-case.js';
import { isSuccessful } from '../../http/response-status.js';
import { maskChangingValues } from '../../record/body-templates.js';
import { createResponseRenderer, renderShortCurlCommand, volatilePattern } from '../../record/exchange-text.js';
import { parseJsonExactly, stringifyExactly } from '../../support/json.js';
import { viewClientGuide } from '../client-guide/view-client-guide.js';
import { renderCodeBlock, renderCodeInTableCell, renderInlineCode } from '../markdown.js';
import { type AnsweredQuestion, type OutputRenderer, renderAnswerOrNone } from '../output.js';

/** Renders the part that the documentation lacks. The text is the same if the target behaves the same. */
export default ((run) => {
  const { suite, answers, certificate, suiteResults } = run;
  const volatile = new Set(suiteResults.flatMap((result) => result.volatile ?? []));
  const maskBody = (body: string) => maskChangingValues(parseJsonExactly(body), volatile);
  const renderResponse = createResponseRenderer(suite.world, maskBody);
  const [example] = answers.flatMap(({ shown }) => (shown && isSuccessful(shown.response) ? [shown] : []));
  const sample = example === undefined ? '' : renderSample(maskBody(example.response.body));
  const viewQuestion = (answer: AnsweredQuestion) => {
    const { question, entry, exchange } = answer;
    const { outcome, reason = '' } = entry;
    const isNamed = question.answer.kind === 'outcomes' && outcome !== null;
    return {
      ...question,
      sentence: renderAnswerOrNone(answer, renderInlineCode),
      name: isNamed ? renderInlineCode(outcome) : '',
      reason: outcome === null || outcome === undeterminedOutcome ? reason : '',
      shown:
        exchange === undefined
          ? []
          : [
              renderCodeBlock('sh', renderShortCurlCommand(exchange)),
              renderCodeBlock('text', renderResponse(exchange)),
            ],
    };
  };
  return {
    view: {
      guide: viewClientGuide(run, renderResponse) ?? false,
      target: renderInlineCode(certificate.target.name),
      suite,
      isThroughTransport: certificate.target.transport !== undefined,
      rows: answers.map((answer) => ({
        id: answer.question.id,
        warning: answer.entry.warning,
        sentence: renderAnswerOrNone(answer, renderCodeInTableCell),
      })),
      example: example !== undefined &&
        sample !== '' && {
          request: renderCodeBlock('sh', renderShortCurlCommand(example)),
          body: renderCodeBlock('json', sample),
        },
      groups: suite.contract.groups.map(({ name, asks }) => ({
        asks,
        questions: answers.filter(({ question }) => question.group === name).map(viewQuestion),
      })),
    },
  };
}) satisfies OutputRenderer;

/** The length of a longer sample, which shows nothing at a glance. */
const maxSample = 6_000;

/** Renders a body with the first entry of each list; empty if it is no JSON, or too long. */
function renderSample(body: unknown): string {
  const text = stringifyExactly(body, (_, value) => (Array.isArray(value) ? value.slice(0, 1) : value), 2) ?? '';
  return text.length > maxSample ? '' : text.replaceAll(volatilePattern, '…');
}
