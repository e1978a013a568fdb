import type { Bridge, BridgeRecording, Leg } from '#core/kernel/ports/telephony.ts'
import type { RecordingFile } from '#core/kernel/ports/audio.ts'
import type { MediaStream, Room, RoomRecording } from '#media/engine.ts'
import { audioOf, type AudioParts, type LegAudio, recordInto } from './leg-audio.ts'

/** Legs that hear each other: a room of the media engine. */
export class RoomBridge implements Bridge {
  readonly #deps: AudioParts
  readonly #room: Room
  readonly #members = new Set<LegAudio>()

  constructor(deps: AudioParts) {
    this.#deps = deps
    this.#room = deps.media.openRoom()
  }

  add(leg: Leg): void {
    const audio = audioOf(leg)
    if (!audio) throw new Error('not a leg of this telephone side')
    if (audio.closed) return
    this.#members.add(audio)
    audio.enter(this.#room)
  }

  remove(leg: Leg): void {
    const audio = audioOf(leg)
    if (audio && this.#members.delete(audio)) audio.leave(this.#room)
  }

  record(file: RecordingFile, left: readonly Leg[]): BridgeRecording {
    let recording: RoomRecording | undefined
    const begun = recordInto(this.#deps.recordings, file, (path) => (recording = this.#room.record(path, 2, streamsOf(left))))
    return {
      ...begun,
      divide: (changed) => recording?.divide(streamsOf(changed)),
      pause: (value) => recording?.pause(value),
    }
  }

  close(): void {
    for (const audio of this.#members) audio.leave(this.#room)
    this.#members.clear()
    this.#room.close()
  }
}

const streamsOf = (legs: readonly Leg[]): MediaStream[] => legs.flatMap((leg) => audioOf(leg)?.stream ?? [])
