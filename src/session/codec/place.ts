import { MAX_RECORDS } from "./layout.js";

/** Where a record is, as one number that ascends in the order of the file; exact in files of up to 2 TiB. `offset`: of its COMMIT. */
export const placeOf = (offset: number, index: number): number => offset * MAX_RECORDS + index;

/** Logical offset of the COMMIT of a place. */
export const commitOfPlace = (place: number): number => Math.floor(place / MAX_RECORDS);
