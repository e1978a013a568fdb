import type { Bridge, BridgeRecording, Leg, RecordingFile } from '../../core/ports/telephony.ts'
import type { MediaStream, Room, RoomRecording } from '../../media/engine.ts'
import { recordInto, type AudioParts } from './leg-audio.ts'
import { SipLeg } from './sip-leg.ts'

/** Legs that hear each other: a room of the media engine. */
export class RoomBridge implements Bridge {
  readonly #parts: AudioParts
  readonly #room: Room
  readonly #legs = new Set<SipLeg>()

  constructor(parts: AudioParts) {
    this.#parts = parts
    this.#room = parts.media.openRoom()
  }

  add(leg: Leg): void {
    if (!(leg instanceof SipLeg)) throw new Error('not a leg of this telephone side')
    if (leg.over) return
    this.#legs.add(leg)
    leg.audio.enter(this.#room)
  }

  remove(leg: Leg): void {
    if (leg instanceof SipLeg && this.#legs.delete(leg)) leg.audio.leave(this.#room)
  }

  record(file: RecordingFile, left: readonly Leg[]): BridgeRecording {
    let recording: RoomRecording | undefined
    const begun = recordInto(this.#parts.recordings, file, (path) => (recording = this.#room.record(path, 2, streamsOf(left))))
    return { ...begun, divide: (changed) => recording?.divide(streamsOf(changed)) }
  }

  close(): void {
    for (const leg of this.#legs) leg.audio.leave(this.#room)
    this.#legs.clear()
    this.#room.close()
  }
}

const streamsOf = (legs: readonly Leg[]): MediaStream[] => legs.flatMap((leg) => (leg instanceof SipLeg ? (leg.audio.stream ?? []) : []))
