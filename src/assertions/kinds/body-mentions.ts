import { bodyTexts } from '../body-texts.js';

export default bodyTexts('body.mentions', 'At least one of these texts occurs.', true);
