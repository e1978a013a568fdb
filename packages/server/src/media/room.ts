import { framesPerSecond } from './codec.ts'
import { Converter } from './converter.ts'
import type { PcmRate } from './engine.ts'
import { Mixer } from './mixer.ts'
import type { Paced, PacedLoop } from './paced-loop.ts'
import { Playout } from './playout.ts'
import { RecordingRun, type RecordingResult } from './recording-run.ts'
import { MemorySource } from './sound-source.ts'
import type { Stream } from './stream.ts'

interface Member {
  stream: Stream
  toRoom: Converter
  fromRoom: Converter
}

interface RoomRecording {
  run: RecordingRun
  /** Who is heard left; the others are right. */
  left: Stream | undefined
}

const narrowband = 8000
const wideband = 16_000

/**
 * Streams that hear each other. Two with the same codec hand each other their packets; otherwise everything is sound here, wideband as soon as two
 * of them can do it. All have their turn together, so that a frame that was just heard goes out at once.
 */
export class Room implements Paced {
  readonly #loop: PacedLoop
  readonly #playout: Playout
  readonly #recordings = new Map<number, RoomRecording>()
  #members: Member[] = []
  /** What each member just said, at the rate of the room. */
  readonly #frames: Int16Array[] = []
  #direct = false
  #rate = narrowband
  #mixer = new Mixer(narrowband / framesPerSecond)
  #mixed = new Int16Array(narrowband / framesPerSecond)
  #sound = new Int16Array(narrowband / framesPerSecond)

  constructor(loop: PacedLoop, played: (playback: number, completed: boolean, playedMs: number) => void) {
    this.#loop = loop
    this.#playout = new Playout((id, completed, samples) => {
      played(id, completed, (samples / this.#rate) * 1000)
      this.membersChanged()
    })
  }

  /** Its members must decode what they hear. */
  get needsSound(): boolean {
    return !this.#direct || this.#recordings.size > 0
  }

  get streams(): Stream[] {
    return this.#members.map(({ stream }) => stream)
  }

  add(stream: Stream): void {
    if (stream.room === this) return
    stream.room?.remove(stream)
    stream.room = this
    this.#members.push({ stream, toRoom: new Converter(this.#rate), fromRoom: new Converter(stream.rate) })
    this.#loop.add(this, stream)
    this.#loop.remove(stream)
    for (const recording of this.#recordings.values()) recording.left ??= stream
    this.membersChanged()
  }

  remove(stream: Stream): void {
    if (stream.room !== this) return
    stream.room = undefined
    stream.peer = undefined
    this.#members = this.#members.filter((member) => member.stream !== stream)
    this.#loop.add(stream, this)
    if (this.#members.length === 0) this.#loop.remove(this)
    this.membersChanged()
  }

  play(playback: number, samples: Int16Array, rate: PcmRate, loop: boolean): void {
    this.#playout.addSource(playback, new MemorySource(samples, rate, loop))
    this.membersChanged()
  }

  stopPlayback(playback: number): void {
    this.#playout.stop(playback)
  }

  record(recording: number, file: string, channels: 1 | 2, done: (result: RecordingResult) => void): void {
    const run = new RecordingRun(file, channels, this.#rate, this.#loop.frame, done)
    this.#recordings.set(recording, { run, left: this.#members[0]?.stream })
  }

  stopRecording(recording: number): void {
    this.#recordings.get(recording)?.run.stop(this.#loop.frame)
    this.#recordings.delete(recording)
  }

  close(): void {
    this.#playout.stopAll()
    for (const recording of this.#recordings.keys()) this.stopRecording(recording)
    for (const { stream } of this.#members) this.remove(stream)
  }

  /** Somebody came or went or speaks another codec, or is listened to in another way. */
  membersChanged(): void {
    const [first, second] = this.#members
    const two = this.#members.length === 2 && first && second
    this.#direct = Boolean(two && !this.#playout.playing && canHandOn(first.stream, second.stream))
    for (const { stream } of this.#members) stream.peer = undefined
    if (this.#direct && two) {
      first.stream.peer = second.stream
      second.stream.peer = first.stream
    }
    const rate = this.#members.filter(({ stream }) => stream.rate >= wideband).length > 1 ? wideband : narrowband
    if (rate !== this.#rate) this.#changeRate(rate)
    for (const member of this.#members) {
      if (member.toRoom.to !== rate) member.toRoom = new Converter(rate)
      if (member.fromRoom.to !== member.stream.rate) member.fromRoom = new Converter(member.stream.rate)
    }
  }

  #changeRate(rate: number): void {
    this.#rate = rate
    this.#mixer = new Mixer(rate / framesPerSecond)
    this.#mixed = new Int16Array(rate / framesPerSecond)
    this.#sound = new Int16Array(rate / framesPerSecond)
    this.#playout.rate = rate
  }

  tick(nowMs: number): number {
    let sent = 0
    if (!this.needsSound) {
      for (const { stream } of this.#members) sent += stream.tick(nowMs)
      return sent
    }
    this.#listen(nowMs)
    for (const { run, left } of this.#recordings.values()) this.#write(run, left)
    const members = this.#members
    for (let place = 0; place < members.length; place++) {
      const { stream, fromRoom } = members[place]!
      const others = this.#direct ? undefined : fromRoom.convert(this.#mixer.heardBy(place, this.#mixed))
      sent += stream.speak(others, nowMs)
    }
    return sent
  }

  #listen(nowMs: number): void {
    this.#mixer.begin()
    const members = this.#members
    for (let place = 0; place < members.length; place++) {
      const { stream, toRoom } = members[place]!
      const frame = toRoom.convert(stream.hear(nowMs))
      this.#frames[place] = frame
      this.#mixer.add(frame)
    }
    if (this.#playout.read(this.#sound)) this.#mixer.add(this.#sound)
  }

  #write(run: RecordingRun, left: Stream | undefined): void {
    const place = run.channels === 1 ? -1 : this.#members.findIndex(({ stream }) => stream === left)
    const frame = this.#loop.frame
    const others = this.#mixer.heardBy(place, this.#mixed)
    if (run.channels === 1) return run.write(0, frame, others)
    run.write(1, frame, others)
    const leftFrame = this.#frames[place]
    if (leftFrame) run.write(0, frame, leftFrame)
  }
}

const canHandOn = (a: Stream, b: Stream): boolean => {
  const one = a.settings
  const other = b.settings
  if (!one || !other || a.needsOwnPackets || b.needsOwnPackets) return false
  return one.codec === other.codec
}
