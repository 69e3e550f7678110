/** Whether `text` fits `pattern`, where `*` stands for any text. Linear in the product of both lengths, whatever they are. */
export function fitsPattern(pattern: string, text: string): boolean {
  let [at, from] = [0, 0];
  let [star, taken] = [-1, 0];
  while (from < text.length) {
    if (pattern[at] === "*") {
      [star, taken] = [at, from];
      at += 1;
    } else if (pattern[at] === text[from]) {
      at += 1;
      from += 1;
    } else if (star >= 0) {
      taken += 1;
      [at, from] = [star + 1, taken];
    } else return false;
  }
  while (pattern[at] === "*") at += 1;
  return at === pattern.length;
}
