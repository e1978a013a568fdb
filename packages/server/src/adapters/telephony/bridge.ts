import type { Bridge, Leg, Playback, Recording, RecordingFile, Sound } from '../../core/ports/telephony.ts'
import type { Room } from '../../media/engine.ts'
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

  play(sound: Sound): Playback {
    return this.#room.play(this.#parts.sounds.pcm(sound))
  }

  record(file: RecordingFile, channels: 'mixed' | 'split'): Recording {
    return recordInto(this.#parts.recordings, file, (path) => this.#room.record(path, channels === 'mixed' ? 1 : 2))
  }

  close(): void {
    for (const leg of this.#legs) leg.audio.leave(this.#room)
    this.#legs.clear()
    this.#room.close()
  }
}
