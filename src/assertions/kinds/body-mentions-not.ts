import { createBodyTextsKind } from './body-mentions.js';

export default createBodyTextsKind('body.mentions-not', 'The body contains none of these texts.', false);
