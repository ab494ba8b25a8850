import { createBodyTextsKind } from '../body-texts.js';

export default createBodyTextsKind('body.mentions-not', 'None of these texts occurs.', false);
