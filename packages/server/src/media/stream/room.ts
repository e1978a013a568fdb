import { framesPerSecond } from '../codec/codec.ts'
import { Converter } from '../codec/converter.ts'
import type { Forwarder } from '../rtp/hand-on.ts'
import { Mixer } from './mixer.ts'
import type { PacedLoop } from '../thread/paced-loop.ts'
import { RecordingRun, type RecordingResult } from '../recording/recording-run.ts'
import { Rest } from './rest.ts'
import type { Stream, StreamGroup } from './stream.ts'

interface Member {
  stream: Stream
  toRoom: Converter
  fromRoom: Converter
  /** What is played to it, for recordings. */
  played: Converter
}

interface RoomRecording {
  run: RecordingRun
  /** The streams in the left channel; the others are right. */
  left: ReadonlySet<Stream>
}

const nobody: ReadonlySet<Stream> = new Set()

const narrowband = 8000
const wideband = 16_000

/**
 * Streams that hear each other. Two with the same codec hand each other their packets; otherwise everything is sound here, wideband as soon as two
 * of them can do it. All have their turn together, so that a frame that was just heard goes out at once.
 */
export class Room implements StreamGroup {
  readonly #loop: PacedLoop
  readonly #forward: Forwarder
  readonly #rest: Rest
  readonly #recordings = new Map<number, RoomRecording>()
  #members: Member[] = []
  /** What each member just said, at the rate of the room. */
  readonly #frames: Int16Array[] = []
  /** For recordings: what is announced to them at the moment, and what is played to the only member. */
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

  /** False when there is no file to write to. */
  record(recording: number, file: string, channels: 1 | 2, done: (result: RecordingResult) => void): boolean {
    const run = new RecordingRun(file, channels, this.#rate, this.#loop.frame, done)
    this.#recordings.set(recording, { run, left: nobody })
    return run.open
  }

  divide(recording: number, left: ReadonlySet<Stream>): void {
    const known = this.#recordings.get(recording)
    if (known) known.left = left
  }

  stopRecording(recording: number): void {
    this.#recordings.get(recording)?.run.stop(this.#loop.frame)
    this.#recordings.delete(recording)
  }

  close(): void {
    for (const recording of this.#recordings.keys()) this.stopRecording(recording)
    for (const { stream } of this.#members) this.remove(stream)
  }

  /** A member came or went or uses another codec, or is recorded or tapped. */
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

  /** All hear the same announcement; a member that is alone is in a conversation with what is played to it. */
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

  /** What is played is said by no member, so it is in the channel where its listener is not. */
  #writeChannel(recording: RoomRecording, channel: 0 | 1): void {
    const { run } = recording
    const mixer = this.#mixer
    const members = this.#members
    mixer.begin()
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
