/** Durations by their order of magnitude: which, how many, the next, how many, … See core/metrics/durations.ts. */
export type SavedDurations = readonly number[]

/** How calls over one trunk went. */
export interface SavedTrunk {
  incoming: number
  outgoing: number
  answered: number
  /** By a fault of the carrier, or of the way to it. */
  failed: number
  /** That should have come from the carrier, and how many of them did not. */
  packets: number
  lost: number
  /** The mean; each call counts with its packets. */
  jitterMs: number
}

export interface SavedFigures {
  callsStarted: number
  callsAnswered: number
  callsFailed: number
  /** The most at the same time. */
  callsRunning: number
  endpointFailures: number
  httpFailures: number
  setUp: SavedDurations
  turn: SavedDurations
  endpoint: SavedDurations
  http: SavedDurations
  /** By the trunk's id. Missing in what older versions wrote. */
  trunks?: Readonly<Record<string, SavedTrunk>>
}

/** What one process counted from `at` on, for `stepMs`. */
export interface MetricSample {
  nodeId: string
  stepMs: number
  at: number
  figures: SavedFigures
}

export interface Metrics {
  /** A sample that is there is replaced by what was counted since. */
  keep(samples: readonly MetricSample[]): Promise<void>
  /** Of all processes, those that begin from then on and before `until`. */
  list(stepMs: number, from: number, until: number): Promise<MetricSample[]>
  removeBefore(at: number): Promise<number>
}
