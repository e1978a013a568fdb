import type { SavedFigures } from '#core/kernel/ports/store/operate/metrics.ts'
import { Durations } from './durations.ts'
import { TrunkFigures } from './trunk-figures.ts'

const counted = ['callsStarted', 'callsAnswered', 'callsFailed', 'endpointFailures', 'httpFailures'] as const
const timed = ['setUp', 'turn', 'endpoint', 'http'] as const

/** What happened in one stretch of time. */
export class Figures {
  callsStarted = 0
  callsAnswered = 0
  callsFailed = 0
  callsRunning = 0
  endpointFailures = 0
  httpFailures = 0
  readonly setUp = new Durations()
  readonly turn = new Durations()
  readonly endpoint = new Durations()
  readonly http = new Durations()
  readonly trunks = new TrunkFigures()

  /** Adds what another process counted at the same time. */
  merge(other: SavedFigures): void {
    for (const name of counted) this[name] += other[name]
    this.callsRunning += other.callsRunning
    for (const name of timed) this[name].merge(other[name])
    this.trunks.append(other.trunks ?? {})
  }

  /** Adds what all processes counted at another time. */
  append(other: Figures): void {
    for (const name of counted) this[name] += other[name]
    this.callsRunning = Math.max(this.callsRunning, other.callsRunning)
    for (const name of timed) this[name].append(other[name])
    this.trunks.append(other.trunks.saved())
  }

  saved(): SavedFigures {
    const { callsStarted, callsAnswered, callsFailed, callsRunning, endpointFailures, httpFailures } = this
    return {
      callsStarted,
      callsAnswered,
      callsFailed,
      callsRunning,
      endpointFailures,
      httpFailures,
      setUp: this.setUp.saved(),
      turn: this.turn.saved(),
      endpoint: this.endpoint.saved(),
      http: this.http.saved(),
      ...(this.trunks.entries.length > 0 && { trunks: this.trunks.saved() }),
    }
  }
}
