import type { OutboundHttp } from '#core/kernel/ports/outbound.ts'
import { utterancesOf } from '#core/speech/text-normalization/sentences.ts'
import type { Speaker } from '#core/speech/voices/speaker.ts'
import {
  wholeDocument,
  wordsOf,
  type AudioPiece,
  type ProsodyStyle,
  type Reading,
  type Script,
  type TextPiece,
} from '#core/speech/ssml/script.ts'
import { estimatedMs, msOf, type SoundPiece } from './playout.ts'
import type { SpeechRate } from '#core/kernel/ports/speech.ts'
import { decodeBase64, readPcmWav, toSamples, WavRefused } from '#core/kernel/sound/pcm-wav.ts'

/** A part of a speech that is synthesized in one step. */
export interface SpeechPart {
  /** Its original text; final when all its audio is there. */
  words(): string
  /** Synthesized when read; `aheadMs`: milliseconds of the speech still to be played before it. */
  sound(aheadMs: number): AsyncIterable<SoundPiece | Silence>
}

interface Silence {
  silenceMs: number
}

export interface PartMaking {
  speaker: Speaker
  outbound: OutboundHttp
  signal: AbortSignal
  problem: (message: string) => void
  /** True if some of it could not be synthesized. */
  unsaid: boolean
}

/** Splits a document or a text into parts, in order. Voices that accept documents get it whole. */
export async function* partsOf(reading: Reading, making: PartMaking): AsyncGenerator<SpeechPart> {
  const document = making.speaker.takesDocuments ? wholeDocument(reading) : undefined
  const attempt = document === undefined ? undefined : new DocumentAttempt(document, reading.script, making)
  if (attempt) yield attempt
  yield* scriptParts(attempt ? attempt.rest : reading.script, making)
}

/** A document spoken by one voice; the part it could not say is left to the others. */
class DocumentAttempt implements SpeechPart {
  readonly #document: string
  readonly #script: Script
  readonly #making: PartMaking
  #saidMs = 0
  #said = true

  constructor(document: string, script: Script, making: PartMaking) {
    this.#document = document
    this.#script = script
    this.#making = making
  }

  /** Remaining script, estimated from the length of the audio. */
  get rest(): Script {
    return this.#said ? [] : scriptAfter(this.#script, this.#saidMs)
  }

  words(): string {
    const rest = wordsOf(this.rest)
    const all = wordsOf(this.#script)
    return rest === '' ? all : all.slice(0, -rest.length).trim()
  }

  async *sound(): AsyncGenerator<SoundPiece> {
    const { speaker, signal } = this.#making
    try {
      for await (const piece of speaker.sayDocument(this.#document, signal)) {
        this.#saidMs += msOf(piece.samples.length, piece.rate)
        yield piece
      }
    } catch {
      this.#said = signal.aborted
    }
  }
}

const scriptAfter = (script: Script, ms: number): Script => {
  let left = ms
  return script.flatMap((piece) => {
    if (piece.kind === 'silence') left -= piece.ms
    if (left <= 0 || piece.kind !== 'text') return left <= 0 ? [piece] : []
    const rest = utterancesOf(piece.text, piece.language).filter((utterance) => {
      const begins = left
      left -= estimatedMs(utterance)
      return begins <= 0 || left < 0
    })
    return rest.length === 0 ? [] : [{ ...piece, text: rest.join(' ') }]
  })
}

async function* scriptParts(script: Script, making: PartMaking): AsyncGenerator<SpeechPart> {
  for (const piece of script) {
    if (piece.kind === 'text') yield* textParts(piece, making)
    else if (piece.kind === 'silence') yield soundPart({ silenceMs: piece.ms })
    else if (piece.kind === 'audio') yield* audioParts(piece, making)
  }
}

function* textParts(piece: TextPiece, making: PartMaking): Generator<SpeechPart> {
  for (const utterance of utterancesOf(piece.text, piece.language)) yield utterancePart(utterance, piece, making)
}

export const utterancePart = (utterance: string, prosody: ProsodyStyle, making: PartMaking): SpeechPart => ({
  words: () => utterance,
  sound: async function* (aheadMs) {
    for await (const sound of making.speaker.say(utterance, prosody, making.signal, aheadMs)) yield louder(sound, prosody.gainDb)
    making.unsaid ||= making.speaker.failed
  },
})

async function* audioParts(piece: AudioPiece, making: PartMaking): AsyncGenerator<SpeechPart> {
  try {
    yield soundPart(louder(await fetchSound(making.outbound, piece.url, making.signal), piece.gainDb))
  } catch (error) {
    if (making.signal.aborted) return
    making.problem(`audio: could not be played (${error instanceof Error ? error.message : 'unknown'})`)
    making.unsaid = true
    yield* scriptParts(piece.alternative, making)
  }
}

export const soundPart = (sound: SoundPiece | Silence): SpeechPart => ({
  words: () => '',
  sound: async function* () {
    yield sound
  },
})

const loudest = 0x7fff

const louder = (sound: SoundPiece, gainDb: number): SoundPiece => {
  if (gainDb === 0) return sound
  const factor = 10 ** (gainDb / 20)
  return { ...sound, samples: sound.samples.map((sample) => Math.max(-loudest, Math.min(loudest, Math.round(sample * factor)))) }
}

const rates: readonly SpeechRate[] = [8000, 16_000]
const maxBytes = 10 * 1024 * 1024
const deadlineMs = 5000

/** Decodes a base64 WAV file from an action. Throws WavRefused. */
export const readCustomerWav = (base64: string): { file: Buffer; sound: SoundPiece } => {
  if (base64.length > (maxBytes / 3) * 4 + 4) throw new WavRefused(`is longer than ${maxBytes} bytes`)
  const file = decodeBase64(base64)
  return { file, sound: soundOf(file) }
}

/** Fetches a WAV file from a server of the account. Rejects if it cannot be fetched or played. */
const fetchSound = async (outbound: OutboundHttp, url: string, signal: AbortSignal): Promise<SoundPiece> => {
  const { status, body } = await outbound.request({ method: 'GET', url, deadlineMs, maxBytes: maxBytes, signal })
  if (status !== 200) throw new Error(`the server answered with ${status}`)
  return soundOf(body)
}

const soundOf = (file: Buffer): SoundPiece => {
  const { rate, samples } = readPcmWav(file, { rates, endless: true })
  return { rate: rate === 8000 ? 8000 : 16_000, samples: toSamples(samples) }
}
