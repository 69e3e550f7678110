/** Scripts of the build are plain JavaScript; what a test uses of one is said by the test. */
export const script = async <T>(name: string): Promise<T> =>
  (await import(new URL(`../../scripts/build/${name}.mjs`, import.meta.url).href)) as T;
