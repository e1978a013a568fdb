/** Parts that can be too slow for calls: the main thread, packets that leave late, recognisers, the database. */
export const loadMeasures = ['loop', 'media', 'recogniser', 'database'] as const
export type LoadMeasure = (typeof loadMeasures)[number]

/** Readings of the machine. Each covers the time since the previous reading. */
export interface LoadReadings {
  /** Shares, 0 to 1: how long the main thread was at work, and how much of all processors this process had. */
  busy(): { loop: number; processors: number }
  /** Turns of media threads in which packets left, and those of them that were late. */
  media(): { turns: number; late: number }
  /** Milliseconds for which the oldest question of a turn has waited for a recogniser. */
  recogniserWaitMs(): number
  /** Mean milliseconds of a database access, with its wait for a connection; undefined without one. */
  databaseMs(): number | undefined
}

/** The measure that is nearest to its limit, or furthest above it: 1 is the limit. */
export interface Pressure {
  by: LoadMeasure
  ratio: number
}

/**
 * A call is set up in some ten turns of the main thread, each of which lasts twice as long as a timer is late on average: 300 ms of set-up
 * allow 15 ms.
 */
const maxLoopMs = 15
/** Share of late turns: on a machine that other programs share, 2 to 4 % are late anyway. */
const maxLateShare = 0.05
/** Busy shares below which delays count less: other programs cause them, and rejecting calls would change nothing. */
const ownShare = 0.6
/** Fewer turns prove nothing: one late turn of a single call would be one of five. */
const minTurns = 200
const maxRecogniserMs = 300
/** Above the lowest time lately: a database far away is slow, but not overloaded. */
const maxDatabaseMs = 60
/** Readings of which the median counts: one pause for garbage is no overload. */
const medianOf = 5
/** Readings over which turns of media threads are added up. */
const mediaReadings = 15

/** Compares readings with their limits. */
export class LoadPressure {
  readonly #readings: LoadReadings
  readonly #loop = new Recent(medianOf)
  readonly #recogniser = new Recent(medianOf)
  readonly #database = new Recent(medianOf)
  readonly #lowest = new Lowest()
  readonly #busyLoop = new Recent(medianOf)
  readonly #busyProcessors = new Recent(mediaReadings)
  readonly #turns = new Recent(mediaReadings)
  readonly #late = new Recent(mediaReadings)

  constructor(readings: LoadReadings) {
    this.#readings = readings
  }

  /** Reads everything; the main thread was late by `loopMs`. */
  read(loopMs: number, nowMs: number): void {
    this.#loop.add(loopMs)
    const { loop, processors } = this.#readings.busy()
    this.#busyLoop.add(loop)
    this.#busyProcessors.add(processors)
    this.#recogniser.add(this.#readings.recogniserWaitMs())
    const { turns, late } = this.#readings.media()
    this.#turns.add(turns)
    this.#late.add(late)
    const databaseMs = this.#readings.databaseMs()
    this.#database.add(databaseMs === undefined ? 0 : databaseMs - this.#lowest.of(databaseMs, nowMs))
  }

  /** Whether it is this process that keeps the main thread from its turns. */
  get isBusy(): boolean {
    return this.#busyLoop.median >= ownShare
  }

  /** 1 is the limit. */
  get ratios(): Record<LoadMeasure, number> {
    const turns = this.#turns.sum
    return {
      loop: (this.#loop.median / maxLoopMs) * causedBy(this.#busyLoop.median),
      media: turns < minTurns ? 0 : (this.#late.sum / turns / maxLateShare) * causedBy(this.#busyProcessors.mean),
      recogniser: this.#recogniser.median / maxRecogniserMs,
      database: this.#database.median / maxDatabaseMs,
    }
  }

  get worst(): Pressure {
    const ratios = this.ratios
    return loadMeasures.map((by) => ({ by, ratio: ratios[by] })).reduce((one, other) => (other.ratio > one.ratio ? other : one))
  }

  /** Readings from before a pause of reading prove nothing. */
  clear(): void {
    const all = [this.#loop, this.#busyLoop, this.#busyProcessors, this.#recogniser, this.#database, this.#turns, this.#late]
    for (const recent of all) recent.clear()
  }
}

/** Part of a delay that is ours. */
const causedBy = (busy: number): number => Math.min(1, busy / ownShare)

/** The latest numbers; missing ones are 0. */
class Recent {
  readonly #values: number[]
  #next = 0

  constructor(size: number) {
    this.#values = Array.from({ length: size }, () => 0)
  }

  add(value: number): void {
    this.#values[this.#next] = value
    this.#next = (this.#next + 1) % this.#values.length
  }

  get median(): number {
    return this.#values.toSorted((a, b) => a - b)[Math.floor(this.#values.length / 2)] ?? 0
  }

  get sum(): number {
    return this.#values.reduce((sum, value) => sum + value, 0)
  }

  get mean(): number {
    return this.sum / this.#values.length
  }

  clear(): void {
    this.#values.fill(0)
  }
}

/** A database that moves further away is overloaded for at most twice this time. */
const spanMs = 60_000

/** The lowest value of the last one to two spans. */
class Lowest {
  #spanBegan = -Infinity
  #current = Infinity
  #previous = Infinity

  of(value: number, nowMs: number): number {
    if (nowMs - this.#spanBegan >= spanMs) {
      this.#previous = this.#current
      this.#current = Infinity
      this.#spanBegan = nowMs
    }
    this.#current = Math.min(this.#current, value)
    return Math.min(this.#current, this.#previous)
  }
}
