/** Value that this share of all values does not exceed. */
export const percentile = (values: readonly number[], share: number, digits = 1): number =>
  rounded(values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? NaN, digits)

export const rounded = (value: number, digits = 1): number => Number(value.toFixed(digits))

export const spread = (values: readonly number[]): { p50: number; p95: number } => ({
  p50: percentile(values, 0.5),
  p95: percentile(values, 0.95),
})
