import type { OutboundHttp } from '#core/kernel/ports/outbound-http.ts'
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
import { fetchSound } from './fetch-sound.ts'
import { estimatedMs } from './heard-text.ts'
import { msOf, type SoundPiece } from './playout.ts'

/** A piece of a speech that is made in one go. */
export interface SpeechPart {
  /** Its words for people: known for sure when all its sound is there. */
  words(): string
  /** Made when it is read; `aheadMs` of the speech are still to be heard before it. */
  sound(aheadMs: number): AsyncIterable<SoundPiece | Silence>
}

export interface Silence {
  silenceMs: number
}

export interface PartMaking {
  speaker: Speaker
  outbound: OutboundHttp
  signal: AbortSignal
  problem: (message: string) => void
  /** Some of it could not be made into sound. */
  unsaid: boolean
}

/** What a document or a text is made of, in order. Voices that take documents get it as a whole. */
export async function* partsOf(reading: Reading, making: PartMaking): AsyncGenerator<SpeechPart> {
  const document = making.speaker.takesDocuments ? wholeDocument(reading) : undefined
  const attempt = document === undefined ? undefined : new DocumentAttempt(document, reading.script, making)
  if (attempt) yield attempt
  yield* scriptParts(attempt ? attempt.rest : reading.script, making)
}

/** A document that one voice says; what it could not say is left for the others. */
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

  /** How far the voice came is estimated from the length of its sound. */
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
