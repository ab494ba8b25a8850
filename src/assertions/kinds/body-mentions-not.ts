import { defineBodyTextsAssertion } from './body-mentions.js';

export default defineBodyTextsAssertion('body.mentions-not', 'The body contains none of these texts.', false);
