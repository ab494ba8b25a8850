import { bodyComparison } from '../body-comparison.js';

export default bodyComparison('body.differs-from', "Does not equal the body of this other request's response.", false);
