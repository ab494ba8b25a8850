import { bodyComparison } from '../body-comparison.js';

export default bodyComparison('body.same-as', "Equals the body of this other request's response.", true);
