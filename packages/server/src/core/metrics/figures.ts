import type { SavedFigures } from '../ports/store/metrics.ts'
import { Durations } from './durations.ts'

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

  /** Adds what another process counted at the same time. */
  merge(other: SavedFigures): void {
    this.callsStarted += other.callsStarted
    this.callsAnswered += other.callsAnswered
    this.callsFailed += other.callsFailed
    this.callsRunning += other.callsRunning
    this.endpointFailures += other.endpointFailures
    this.httpFailures += other.httpFailures
    for (const kind of ['setUp', 'turn', 'endpoint', 'http'] as const) this[kind].merge(other[kind])
  }

  /** Adds what all processes counted at another time. */
  append(other: Figures): void {
    const most = Math.max(this.callsRunning, other.callsRunning)
    this.merge(other.saved())
    this.callsRunning = most
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
    }
  }
}
