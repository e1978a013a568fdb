import { framesPerSecond, Converter } from '../codec/codec.ts'
import type { Forwarder } from '../rtp/forwarder.ts'
import { type PacedLoop, Rest } from '../thread/paced-loop.ts'
import { RecordingRun, type RecordingResult } from '../recording/disk-file.ts'
import type { Stream, StreamGroup } from './stream.ts'

/**
 * Every member hears all others, but not itself. Reused for every frame: `begin`, `add` per speaker, then `heardBy` per listener. With only
 * one other to hear, that frame itself is returned: a call of two needs no computation.
 */
export class Mixer {
  readonly #sum: Int32Array
  readonly #silence: Int16Array
  readonly #frames: Int16Array[] = []
  #count = 0
  #summed = false

  constructor(frameSamples: number) {
    this.#sum = new Int32Array(frameSamples)
    this.#silence = new Int16Array(frameSamples)
  }

  begin(): void {
    this.#count = 0
    this.#summed = false
  }

  /** The frame is read until the next `begin`. Returns the speaker's index. */
  add(frame: Int16Array): number {
    this.#frames[this.#count] = frame
    return this.#count++
  }

  /** Sound for the speaker of this index (-1: a listener that does not speak): `into`, or a frame that must not be changed. */
  heardBy(place: number, into: Int16Array): Int16Array {
    const others = place < 0 ? this.#count : this.#count - 1
    if (others <= 0) return this.#silence
    if (others === 1) return this.#frames[place === 0 ? 1 : 0]!
    if (!this.#summed) this.#addUp()
    const sum = this.#sum
    const own = place < 0 ? this.#silence : this.#frames[place]!
    for (let i = 0; i < into.length; i++) {
      const sample = sum[i]! - own[i]!
      into[i] = sample > 32767 ? 32767 : sample < -32768 ? -32768 : sample
    }
    return into
  }

  #addUp(): void {
    const sum = this.#sum
    sum.fill(0)
    for (let speaker = 0; speaker < this.#count; speaker++) {
      const frame = this.#frames[speaker]!
      for (let i = 0; i < sum.length; i++) sum[i]! += frame[i]!
    }
    this.#summed = true
  }
}

interface Member {
  stream: Stream
  toRoom: Converter
  fromRoom: Converter
  /** Converts sound played to it, for recordings. */
  played: Converter
}

interface RoomRecording {
  run: RecordingRun
  /** Streams in the left channel; the others are right. */
  left: ReadonlySet<Stream>
  /** Silence is recorded instead. */
  paused: boolean
}

const nobody: ReadonlySet<Stream> = new Set()

const narrowband = 8000
const wideband = 16_000

/**
 * Streams that hear each other. Two with the same codec forward their packets; otherwise sound is mixed, wideband as soon as two members
 * support it. All have their turn together, so that a received frame is sent immediately.
 */
export class Room implements StreamGroup {
  readonly #loop: PacedLoop
  readonly #forward: Forwarder
  readonly #rest: Rest
  readonly #recordings = new Map<number, RoomRecording>()
  #members: Member[] = []
  /** Current frame of each member, at the rate of the room. */
  readonly #frames: Int16Array[] = []
  /** For recordings: the current announcement, and sound played to the only member. */
  #announced: Int16Array | undefined
  #played: Int16Array | undefined
  #announcedFrame = new Int16Array(narrowband / framesPerSecond)
  #playedFrame = new Int16Array(narrowband / framesPerSecond)
  #direct = false
  #rate = narrowband
  #mixer = new Mixer(narrowband / framesPerSecond)
  #mixed = new Int16Array(narrowband / framesPerSecond)

  constructor(loop: PacedLoop, forwarder: Forwarder) {
    this.#loop = loop
    this.#forward = forwarder
    this.#rest = new Rest(forwarder)
  }

  /** Its members must decode their input. */
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
    const [toRoom, played] = [new Converter(this.#rate), new Converter(this.#rate)]
    this.#members.push({ stream, toRoom, fromRoom: new Converter(stream.rate), played })
    this.#loop.add(this, stream)
    this.#loop.remove(stream)
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

  /** False when the file cannot be created. */
  record(recording: number, file: string, channels: 1 | 2, done: (result: RecordingResult) => void): boolean {
    const run = new RecordingRun(file, channels, this.#rate, this.#loop.frame, done)
    this.#recordings.set(recording, { run, left: nobody, paused: false })
    return run.open
  }

  divide(recording: number, left: ReadonlySet<Stream>): void {
    const known = this.#recordings.get(recording)
    if (known) known.left = left
  }

  pauseRecording(recording: number, value: boolean): void {
    const known = this.#recordings.get(recording)
    if (known) known.paused = value
  }

  stopRecording(recording: number): void {
    this.#recordings.get(recording)?.run.stop(this.#loop.frame)
    this.#recordings.delete(recording)
  }

  close(): void {
    for (const recording of this.#recordings.keys()) this.stopRecording(recording)
    for (const { stream } of this.#members) this.remove(stream)
  }

  /** A member was added or removed, changed its codec, or is recorded or tapped. */
  membersChanged(): void {
    this.#forward.changed()
    const [first, second] = this.#members
    const two = this.#members.length === 2 && first && second
    this.#direct = Boolean(two && canForward(first.stream, second.stream))
    for (const { stream } of this.#members) stream.peer = undefined
    if (this.#direct && two) {
      first.stream.peer = second.stream
      second.stream.peer = first.stream
    }
    const rate = this.#members.filter(({ stream }) => stream.rate >= wideband).length > 1 ? wideband : narrowband
    if (rate !== this.#rate) this.#changeRate(rate)
    for (const member of this.#members) {
      if (member.toRoom.to !== rate) member.toRoom = new Converter(rate)
      if (member.played.to !== rate) member.played = new Converter(rate)
      if (member.fromRoom.to !== member.stream.rate) member.fromRoom = new Converter(member.stream.rate)
    }
  }

  #changeRate(rate: number): void {
    this.#rate = rate
    this.#mixer = new Mixer(rate / framesPerSecond)
    this.#mixed = new Int16Array(rate / framesPerSecond)
    this.#announcedFrame = new Int16Array(rate / framesPerSecond)
    this.#playedFrame = new Int16Array(rate / framesPerSecond)
  }

  tick(nowMs: number): number {
    let sent = 0
    if (this.#rest.goesOn()) return 0
    if (!this.needsSound) {
      for (const { stream } of this.#members) sent += stream.turn(nowMs)
      return this.#members.every(({ stream }) => stream.rest.rests) ? this.#rest.begin() : sent
    }
    this.#listen(nowMs)
    this.#announced = this.#played = undefined
    const members = this.#members
    for (let place = 0; place < members.length; place++) {
      const { stream, fromRoom } = members[place]!
      const others = this.#direct ? undefined : fromRoom.convert(this.#mixer.heardBy(place, this.#mixed))
      sent += stream.speak(others, nowMs)
      if (this.#recordings.size > 0) this.#noteOwnSound(members[place]!)
    }
    for (const recording of this.#recordings.values()) this.#write(recording)
    return sent
  }

  /** All hear the same announcement; sound played to a single member is the other side of its conversation. */
  #noteOwnSound({ stream, played }: Member): void {
    const announced = this.#announced ? undefined : stream.own.announced
    const sound = announced ?? (this.#members.length === 1 ? stream.own.played : undefined)
    if (!sound) return
    const kept = announced ? this.#announcedFrame : this.#playedFrame
    kept.set(played.convert(sound))
    if (announced) this.#announced = kept
    else this.#played = kept
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
  }

  #write(recording: RoomRecording): void {
    this.#writeChannel(recording, 0)
    if (recording.run.channels === 2) this.#writeChannel(recording, 1)
  }

  /** Played sound is not from a member, so it goes to the channel without its listener. */
  #writeChannel(recording: RoomRecording, channel: 0 | 1): void {
    const { run } = recording
    const mixer = this.#mixer
    const members = this.#members
    mixer.begin()
    // Frame by frame, so that a long pause is not written at once when it ends.
    if (recording.paused) return run.write(channel, this.#loop.frame, mixer.heardBy(-1, this.#mixed))
    for (let place = 0; place < members.length; place++)
      if (isHeardIn(recording, channel, members[place]!.stream)) mixer.add(this.#frames[place]!)
    if (this.#announced) mixer.add(this.#announced)
    if (this.#played && (run.channels === 1 || !isHeardIn(recording, channel, members[0]!.stream))) mixer.add(this.#played)
    run.write(channel, this.#loop.frame, mixer.heardBy(-1, this.#mixed))
  }
}

const isHeardIn = ({ run, left }: RoomRecording, channel: 0 | 1, stream: Stream): boolean =>
  run.channels === 1 || left.has(stream) === (channel === 0)

const canForward = (a: Stream, b: Stream): boolean => {
  const one = a.settings
  const other = b.settings
  if (!one || !other || a.needsOwnPackets || b.needsOwnPackets) return false
  return one.codec === other.codec
}
