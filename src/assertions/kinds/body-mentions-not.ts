import { createBodyTextsKind } from '../body-texts.js';

export default createBodyTextsKind('body.mentions-not', 'The body contains none of these texts.', false);
