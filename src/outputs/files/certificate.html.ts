export { renderCertificatePage as default } from '../page/certificate-page.js';
