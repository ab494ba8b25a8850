// Lets `npx playwright test`, its UI mode and editors run the cases, as `npx conformance certify` does.
export { default } from 'promotion-validation-conformance/playwright.config.js';
