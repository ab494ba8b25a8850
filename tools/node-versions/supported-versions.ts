/** The versions of Node.js with which the suite is tested; .github/workflows/tests.yml has the same. */
export const supportedNodeVersions = ['20', '22', '24'];
