import { createBodyTextsKind } from '../body-texts.js';

export default createBodyTextsKind('body.mentions', 'The body contains at least one of these texts.', true);
