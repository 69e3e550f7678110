export function physicalOf(offset: number): number;
