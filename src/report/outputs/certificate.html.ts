import type { Output } from '../output.js';
import { renderCertificatePage } from '../page/certificate-page.js';

const renderPage: Output = renderCertificatePage;

export default renderPage;
