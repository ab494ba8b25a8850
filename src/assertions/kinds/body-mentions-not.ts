import { bodyTexts } from '../body-texts.js';

export default bodyTexts('body.mentions-not', 'None of these texts occurs.', false);
