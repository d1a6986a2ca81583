/** A concern has one version only [K3]. */
export const CONCERN_VERSION = '1.0.0';
