import { defineConfig } from '@playwright/test';
import config from './playwright.config.js';

/** All of the suite's own tests, the large draws among them. */
export default defineConfig({ ...config, grepInvert: /(?!)/, timeout: 600_000 });
