/** What a metric is about: a row of the dashboard and a part of the page in the documentation. */
export type Area = 'calls' | 'turn' | 'sound' | 'machine' | 'store' | 'cluster'

/** What is the same for all values of one name. */
export interface Family {
  type: 'counter' | 'gauge' | 'histogram'
  /** One sentence. */
  help: string
  /** Never an account, a number, a call or anything else of which there is no end. */
  labels: readonly string[]
  /** Upper bounds of a histogram's buckets, the smallest first. */
  bounds?: readonly number[]
}

export const counter = <const L extends string = never>(help: string, ...labels: L[]) => ({ type: 'counter', help, labels }) as const

export const gauge = <const L extends string = never>(help: string, ...labels: L[]) => ({ type: 'gauge', help, labels }) as const

export const histogram = <const L extends string = never>(help: string, bounds: readonly number[], ...labels: L[]) =>
  ({ type: 'histogram', help, bounds, labels }) as const
