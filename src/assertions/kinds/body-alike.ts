import { createStableBodyKind } from '../stable-body.js';

export default createStableBodyKind(
  'body.alike',
  "Equals the body of this other request's response, apart from what differs between responses to one request that the case sends twice.",
  true,
);
