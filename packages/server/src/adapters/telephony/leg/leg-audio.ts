import type { Announcement, LegSound, Playback, Recording, RecordingFile, Sound, SoundFeed, Recorded } from '#core/kernel/ports/audio.ts'
import type { Audio, Leg } from '#core/kernel/ports/telephony.ts'
import type { Media, MediaStream, Pcm, Room, StreamObserver, Recording as MediaRecording } from '#media/engine.ts'
import { nothingPlayed } from '#media/control/runs.ts'
import { SampleRing } from '#media/thread/sample-ring.ts'
import type { Sounds } from './sounds.ts'
import type { SavedMedia, Agreed, OfferOptions, MediaSession } from '../sdp/media-session.ts'
import { mkdirSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { RecordingFiles } from '#core/kernel/ports/files.ts'

export interface AudioParts {
  media: Media
  sounds: Sounds
  recordings: RecordingStore
}

interface AudioObserver extends StreamObserver {
  /** A value of `saved` changed. */
  changed?(): void
  /** The media path to the far end is lost. */
  broken(): void
}

const nothingFed: SoundFeed = {
  get begun() {
    return nothingPlayed.begun
  },
  done: nothingPlayed.done,
  stop: () => {},
  write: () => 0,
  hasCapacity: () => Promise.resolve(),
  end: () => {},
  playedMs: () => 0,
}

const nothingHeard = (): LegSound => {
  const ring = SampleRing.of(1)
  ring.end()
  return { buffer: ring.buffer, close: () => {} }
}

/** Sound of one leg: its stream, its negotiated SDP, and settings requested before the stream was open. */
export class LegAudio implements Audio {
  readonly #deps: AudioParts
  #session: MediaSession
  #observer: AudioObserver | undefined
  #opening: Promise<void> | undefined
  #streamOpening: Promise<MediaStream> | undefined
  #stream: MediaStream | undefined
  #closed = false
  #room: Room | undefined
  #muted = false
  #inputMuted = false
  #echoes = false
  #wantsKeys = false
  #background: { sound: Pcm; volume: number } | undefined
  #agreed: Agreed | undefined
  #holdMusic: Playback | undefined

  constructor(deps: AudioParts, session: MediaSession) {
    this.#deps = deps
    this.#session = session
    this.#watch(session)
  }

  /** Uses another media session, before the far end has agreed to one. */
  use(session: MediaSession): void {
    this.#session.close?.()
    this.#session = session
    this.#watch(session)
  }

  observe(observer: AudioObserver): void {
    this.#observer = observer
  }

  /** Undefined until it is open. */
  get stream(): MediaStream | undefined {
    return this.#stream
  }

  get closed(): boolean {
    return this.#closed
  }

  get heldByPeer(): boolean {
    return this.#agreed?.heldByPeer ?? false
  }

  get codec(): string | undefined {
    return this.#agreed?.settings.codec
  }

  get muted(): boolean {
    return this.#muted
  }

  /** State for another node to resume it; undefined if that is impossible. */
  saved(): SavedMedia | undefined {
    return this.#session.saved?.()
  }

  /** No sound is expected, because one side or both are on hold. */
  get paused(): boolean {
    return this.heldByPeer || this.#session.holding
  }

  /** Throws MediaFull when no port is left. `near`: the leg to bridge with. */
  open(near?: LegAudio): Promise<void> {
    return (this.#opening ??= this.#open(near).catch((error: unknown) => {
      this.#opening = undefined // a port may be free later
      throw error
    }))
  }

  /** A new offer, or the last one with changes. */
  async offer(options?: OfferOptions): Promise<string> {
    return this.#session.offer(this.#port, options)
  }

  /** Answers and applies this offer; undefined if there is no common format. */
  async answer(offer: string, from: string | undefined): Promise<string | undefined> {
    const reply = await this.#session.answer(offer, this.#port, from)
    if (reply) this.#apply(reply.agreed)
    return reply?.sdp
  }

  /** Applies the far end's answer to our offer. False if it is invalid. */
  confirm(answer: string, from: string | undefined): boolean {
    const agreed = this.#session.confirm(answer, from)
    if (agreed) this.#apply(agreed)
    return agreed !== undefined
  }

  /** Takes effect in the next offer or answer. */
  set holding(value: boolean) {
    this.#session.holding = value
  }

  /** Expects audio of the far end from now on. */
  expectAnew(): void {
    if (!this.#agreed) return
    const { settings } = this.#agreed
    this.#stream?.configure({ ...settings, receive: false })
    this.#stream?.configure(settings)
  }

  mute(value: boolean): void {
    const changed = value !== this.#muted
    this.#muted = value
    this.#stream?.mute(value)
    if (changed) this.#observer?.changed?.()
  }

  echo(value: boolean): void {
    this.#echoes = value
    this.#stream?.echo(value)
  }

  /** Detects in-band DTMF, if this phone sends it in no other way. */
  wantKeys(value: boolean): void {
    if (value === this.#wantsKeys) return
    this.#wantsKeys = value
    this.#stream?.wantKeys(value)
  }

  muteInput(value: boolean): void {
    this.#inputMuted = value
    this.#stream?.muteInput(value)
  }

  duck(value: boolean): void {
    this.#stream?.duck(value)
  }

  play(sound: Sound, options?: { loop?: boolean }): Playback {
    const layer = 'music' in sound ? 'music' : 'usual'
    return this.#stream?.play(this.#deps.sounds.pcm(sound), { ...options, layer }) ?? nothingPlayed
  }

  playHoldMusic(value: boolean): void {
    this.#holdMusic?.stop()
    this.#holdMusic = value ? this.play({ music: 'hold' }, { loop: true }) : undefined
  }

  announce(sound: Sound, { urgent = false }: { urgent?: boolean } = {}): Announcement {
    return this.#stream?.announce(this.#deps.sounds.pcm(sound), urgent ? 'notice' : 'announcement') ?? nothingPlayed
  }

  feed(rate: 8000 | 16000): SoundFeed {
    return this.#stream?.feed(rate) ?? nothingFed
  }

  background(sound: { wav: Uint8Array } | undefined, volume: number): void {
    this.#background = sound && { sound: this.#deps.sounds.pcm(sound), volume }
    this.#stream?.background(this.#background?.sound, volume)
  }

  listen(): LegSound {
    return this.#stream?.listen() ?? nothingHeard()
  }

  async sendDtmf(digits: string): Promise<void> {
    if (!this.#closed) await this.#stream?.sendDtmf(digits)
  }

  record(file: RecordingFile): Recording {
    return recordInto(this.#deps.recordings, file, (path) => this.#stream?.record(path))
  }

  enter(room: Room): void {
    this.leave()
    this.#room = room
    if (this.#stream) room.add(this.#stream)
  }

  /** Leaves only this room, if given: it may already be in another. */
  leave(room: Room | undefined = this.#room): void {
    if (room === undefined || room !== this.#room) return
    if (this.#stream) room.remove(this.#stream)
    this.#room = undefined
  }

  /** `silently`: another node continues the stream. */
  async close({ silently = false }: { silently?: boolean } = {}): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.leave()
    this.#session.close?.()
    await this.#stream?.close({ silently })
  }

  get #port(): number {
    if (!this.#stream) throw new Error('the stream is not open')
    return this.#stream.localPort
  }

  async #open(near: LegAudio | undefined): Promise<void> {
    this.#streamOpening = this.#deps.media.openStream(
      {
        dtmf: (digit, source) => this.#observer?.dtmf(digit, source),
        heard: () => this.#observer?.heard?.(),
        sound: (state) => this.#observer?.sound?.(state),
        silent: () => this.#observer?.silent(),
        ended: (quality) => this.#observer?.ended?.(quality),
        lost: () => this.#observer?.lost(),
      },
      { near: near && (near.#stream ?? near.#streamOpening), address: this.#session.boundAddress },
    )
    const stream = (this.#stream = await this.#streamOpening)
    this.#streamOpening = undefined
    if (this.#closed) return stream.close()
    if (this.#muted) stream.mute(true)
    if (this.#inputMuted) stream.muteInput(true)
    if (this.#echoes) stream.echo(true)
    if (this.#wantsKeys) stream.wantKeys(true)
    if (this.#background) stream.background(this.#background.sound, this.#background.volume)
    this.#room?.add(stream)
  }

  #watch(session: MediaSession): void {
    void session.broken?.then(() => {
      if (this.#session === session) this.#observer?.broken()
    })
  }

  #apply(agreed: Agreed): void {
    this.#agreed = agreed
    this.#stream?.configure(agreed.settings)
  }
}

/** The sound of one of our own legs; undefined for others. */
export const audioOf = ({ audio }: Leg): LegAudio | undefined => (audio instanceof LegAudio ? audio : undefined)

/** Storage of recordings. */
export type RecordingStore = Pick<RecordingFiles, 'pathOf' | 'begun' | 'written'>

/** False on a full disk: the call then continues without a recording. */
const isThere = (folder: string): boolean => {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    return true
  } catch {
    return false
  }
}

/** `begin` gets the path; it returns undefined if there is nothing to record. */
export const recordInto = (files: RecordingStore, file: RecordingFile, begin: (path: string) => MediaRecording | undefined): Recording => {
  const path = files.pathOf(file)
  const recording = isThere(dirname(path)) ? begin(path) : undefined
  if (recording) files.begun(file)
  const stop = async (): Promise<Recorded> => {
    const { durationMs, truncated } = (await recording?.stop()) ?? { durationMs: 0, truncated: true }
    const bytes = await stat(path).then(
      ({ size }) => size,
      () => 0,
    )
    await files.written(file)
    return { durationMs, bytes, truncated }
  }
  return { id: file.id, opened: recording?.opened ?? Promise.resolve(false), stop }
}
