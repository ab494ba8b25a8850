// `npx conformance certify`, `npx playwright test`, its UI mode and editors run the cases with this config.
import conformance, { defineConfig } from 'promotion-validation-conformance/playwright.config.js';

export default defineConfig(conformance, {
  // Playwright starts the deployment, and ends it after the run:
  // webServer: { command: 'npm start', url: 'http://127.0.0.1:8080/health' },
  projects: [{ name: '__NAME__', use: { target: 'conformance/target.yaml' } }],
});
