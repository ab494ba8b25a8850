import { type Exchange, getHeaderValues, type HttpResponse } from './exchange.js';

/** Whether a response says success (2xx), so that its body is a result. */
export function isSuccessful({ status }: HttpResponse): boolean {
  return status >= 200 && status < 300;
}

/** Statuses that speak of the connection to the deployment or of its load, not of the request. */
const transient: Readonly<Record<number, string>> = {
  408: 'the deployment gave up waiting for the request',
  421: 'the request came to a server that does not speak for the deployment',
  425: 'the request came too early on its connection',
  429: 'the deployment limits the rate of requests; send fewer per second',
  499: 'a gateway took the connection for closed',
  502: 'a gateway got no good answer from the deployment',
  503: 'the deployment is not available',
  504: 'a gateway got no answer from the deployment in time',
};

/** What content delivery networks answer by themselves, each in its own sense: 520 to 530. */
const network = 'a content delivery network got no good answer from the deployment';

/** What a transient status means, in words; undefined for one that speaks of the request. */
function transientMeaning(status: number): string | undefined {
  return status >= 520 && status <= 530 ? network : transient[status];
}

/** Whether a response speaks of the connection to the deployment or of its load alone, so that another may differ. */
export function isTransient({ status }: HttpResponse): boolean {
  return transientMeaning(status) !== undefined;
}

/** Why an exchange shows nothing about the deployment, if so: a transport error, or a transient status. */
export function explainTransientFailure(exchange: Exchange): string | undefined {
  if (!('response' in exchange)) return exchange.message;
  const { status } = exchange.response;
  const meaning = transientMeaning(status);
  return meaning === undefined ? undefined : `Answered ${status}: ${meaning}.`;
}

/** That a response refuses the configured credentials, in words; undefined where it does not. */
export function explainRefusedCredentials({ status }: HttpResponse): string | undefined {
  if (status !== 401 && status !== 403) return undefined;
  return `Answered ${status}: the credentials are probably wrong. Check CLIENT_APPLICATION_ID and CLIENT_TOKEN.`;
}

/** That a response sends the client elsewhere, in words; undefined where it does not. */
export function explainRedirect({ status, headers }: HttpResponse): string | undefined {
  if (status < 300 || status >= 400) return undefined;
  const to = getHeaderValues(headers, 'location')[0];
  return `Redirected (${status})${to === undefined ? '' : ` to ${to}`}; redirects are not followed. Is the base URL right?`;
}

/**
 * That a server takes no body without its length, in words; undefined where it does. HTTP leaves that to it
 * (RFC 9112, sections 6.1 and 6.3).
 */
export function explainLengthRequired(exchange: Exchange): string | undefined {
  if (!('response' in exchange) || exchange.request.sent !== 'chunked') return undefined;
  const { status } = exchange.response;
  return status === 411 || status === 501
    ? `Answered ${status}: the target takes no body without Content-Length.`
    : undefined;
}
