import { createBodyTextsKind } from '../body-texts.js';

export default createBodyTextsKind('body.mentions', 'At least one of these texts occurs.', true);
