/** Major of the plugin contract this program speaks. */
export const SDK_VERSION = 1;

/** A plugin may be written for this major or the one before; there is none before the first. */
export const isSupportedSdk = (sdk: number): boolean => sdk >= 1 && (sdk === SDK_VERSION || sdk === SDK_VERSION - 1);
