import { createStableBodyKind } from '../stable-body.js';

export default createStableBodyKind(
  'body.unlike',
  "Does not equal the body of this other request's response, apart from what differs between responses to one request that the case sends twice.",
  false,
);
