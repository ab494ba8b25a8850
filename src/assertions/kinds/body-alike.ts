import { createStableBodyKind } from '../stable-body.js';

export default createStableBodyKind(
  'body.alike',
  'The body is the same as in the response to this other request, except for volatile values: those that differ between responses to a request that the case sends twice.',
  true,
);
