import { createStableBodyKind } from '../stable-body.js';

export default createStableBodyKind(
  'body.unlike',
  'The body differs from the response to this other request, except for volatile values: those that differ between responses to a request that the case sends twice.',
  false,
);
