import type { WordInIpa } from '#core/kernel/ports/speech.ts'

/** Speech in order, independent of its source format. */
export type Script = readonly Piece[]

export type Piece = TextPiece | SilencePiece | AudioPiece | MarkPiece

export interface TextPiece extends ProsodyStyle {
  kind: 'text'
  /** Unchanged except for `say-as` and `sub`. Not yet split into utterances. */
  text: string
}

/** Style of speech. */
export interface ProsodyStyle {
  /** BCP 47. */
  language: string
  /** Voice named by the document; missing: that of the action or the flow. */
  voice?: string
  /** 1 is normal. */
  speed: number
  /** Semitones. */
  pitch: number
  /** 0 is normal. */
  gainDb: number
  /** From phoneme elements, of the whole document. */
  ipa?: readonly WordInIpa[]
}

interface SilencePiece {
  kind: 'silence'
  ms: number
}

export interface AudioPiece {
  kind: 'audio'
  /** From the action: only OutboundHttp may fetch it. */
  url: string
  gainDb: number
  /** Spoken if the audio cannot be played; contains no `audio`. */
  alternative: Script
}

interface MarkPiece {
  kind: 'mark'
  name: string
}

/** Parsed text of an action. */
export interface Reading {
  script: Script
  /** Problems for the account: ignored or invalid parts. */
  problems: string[]
  /** Original SSML document; missing for plain text and malformed SSML. */
  document?: string
  /** The document contains audio elements. */
  sounds?: true
}

/** Document for voices that support SSML; undefined: it must be spoken piece by piece, because only we fetch audio. */
export const wholeDocument = ({ document, sounds }: Reading): string | undefined => (sounds ? undefined : document)

/** Plain text, for display. */
export const wordsOf = (script: Script): string =>
  script
    .flatMap((piece) => (piece.kind === 'text' ? [piece.text.trim()] : piece.kind === 'audio' ? [wordsOf(piece.alternative)] : []))
    .filter((words) => words !== '')
    .join(' ')

/** Pause between paragraphs. */
const paragraphMs = 400
const maxBreakMs = 60_000

/** Collects the pieces of a document during parsing. */
export class ScriptWriter {
  #pieces: Piece[] = []
  readonly #outer: Piece[][] = []
  /** Silence in milliseconds before the next text, which starts a new piece. */
  #gapMs: number | undefined
  #breakMs = 0

  /** Text before the current position. */
  get lastWords(): string {
    const last = this.#pieces.at(-1)
    return last?.kind === 'text' && this.#gapMs === undefined ? last.text : ''
  }

  /** Appends to the last piece if the style is the same. */
  text(text: string, prosody: ProsodyStyle): void {
    const words = text.replace(/\s+/g, ' ')
    const last = this.#pieces.at(-1)
    if (last?.kind === 'text' && this.#gapMs === undefined && sameProsody(last, prosody)) {
      last.text = (last.text + words).replace(/ {2,}/g, ' ')
    } else if (words !== ' ' && words !== '') {
      if (this.#gapMs && this.#pieces.length > 0 && last?.kind !== 'silence') this.#pieces.push({ kind: 'silence', ms: this.#gapMs })
      this.#gapMs = undefined
      this.#pieces.push({ kind: 'text', text: words, ...prosody })
    }
  }

  /** Separates the next sentence or paragraph. */
  apart(paragraph: boolean): void {
    this.#gapMs = Math.max(this.#gapMs ?? 0, paragraph ? paragraphMs : 0)
  }

  /** False if the pause was shortened to stay within the total limit. */
  silence(ms: number): boolean {
    const allowed = Math.min(ms, maxBreakMs - this.#breakMs)
    this.#breakMs += allowed
    const last = this.#pieces.at(-1)
    if (allowed > 0) this.#pieces.push({ kind: 'silence', ms: Math.round(allowed) })
    else if (last?.kind === 'text') last.text += ' '
    return allowed === ms
  }

  mark(name: string): void {
    this.#pieces.push({ kind: 'mark', name })
  }

  /** Starts the alternative text of an audio element. */
  beginAlternative(): void {
    this.#outer.push(this.#pieces)
    this.#pieces = []
  }

  endAlternative(url: string | undefined, gainDb: number): void {
    const alternative = finished(this.#pieces)
    this.#pieces = this.#outer.pop() ?? []
    this.apart(false)
    if (url === undefined) this.#pieces.push(...alternative)
    else this.#pieces.push({ kind: 'audio', url, gainDb, alternative })
  }

  script(): Script {
    return finished(this.#pieces)
  }
}

const sameProsody = (a: TextPiece, b: ProsodyStyle): boolean =>
  a.language === b.language && a.voice === b.voice && a.speed === b.speed && a.pitch === b.pitch && a.gainDb === b.gainDb

const finished = (pieces: readonly Piece[]): Script =>
  pieces
    .map((piece) => (piece.kind === 'text' ? { ...piece, text: piece.text.trim() } : piece))
    .filter((piece) => piece.kind !== 'text' || piece.text !== '')

/** A map has no inherited names such as `constructor`. */
const words = <T>(meanings: Record<string, T>): ReadonlyMap<string, T> => new Map(Object.entries(meanings))

const rates = words({ 'x-slow': 0.6, slow: 0.8, medium: 1, default: 1, fast: 1.25, 'x-fast': 1.6 })
const pitches = words({ 'x-low': -6, low: -3, medium: 0, default: 0, high: 3, 'x-high': 6 })
const volumes = words({ silent: -60, 'x-soft': -12, soft: -6, medium: 0, default: 0, loud: 4, 'x-loud': 8 })
const strengths = words({ none: 0, 'x-weak': 100, weak: 200, medium: 400, strong: 700, 'x-strong': 1000 })

/** Limits beyond which voices sound wrong. */
const speedLimits = [0.4, 2.5] as const
const pitchLimits = [-12, 12] as const
const gainLimits = [-60, 12] as const
/** Reference pitch for changes in hertz. */
const defaultPitchHz = 150

const within = (value: number, [min, max]: readonly [number, number]): number => Math.min(max, Math.max(min, value))

/** Number with its unit; undefined if invalid. */
const measure = (written: string): { value: number; unit: string; relative: boolean } | undefined => {
  const match = /^([+-]?)(\d{1,5}(?:\.\d{1,4})?|\.\d{1,4})\s?(%|st|hz|db|ms|s|)$/i.exec(written.trim())
  if (!match) return undefined
  const [, sign = '', number = '', unit = ''] = match
  return { value: Number(number) * (sign === '-' ? -1 : 1), unit: unit.toLowerCase(), relative: sign !== '' }
}

/** Speed factor: `slow`, `120%`, `+20%`, `1.2`. */
export const readRate = (written: string): number | undefined => {
  const word = rates.get(written)
  if (word !== undefined) return word
  const { value, unit, relative } = measure(written) ?? { value: 0, unit: '?', relative: false }
  if (unit === '%') return relative ? 1 + value / 100 : value / 100
  return unit === '' && value !== 0 ? (relative ? 1 + value : value) : undefined
}

/** Semitones: `low`, `+2st`, `-10%`, `+20Hz`, `180Hz`. */
export const readPitch = (written: string): number | undefined => {
  const word = pitches.get(written)
  if (word !== undefined) return word
  const { value, unit, relative } = measure(written) ?? { value: 0, unit: '?', relative: false }
  if (unit === 'st') return value
  const times = unit === '%' ? 1 + value / 100 : unit === 'hz' ? (relative ? defaultPitchHz + value : value) / defaultPitchHz : 0
  return times > 0 ? 12 * Math.log2(times) : undefined
}

/** Decibels: `soft`, `+6dB`, `-20%`, `80` of 100. */
export const readVolume = (written: string): number | undefined => {
  const word = volumes.get(written)
  if (word !== undefined) return word
  const { value, unit, relative } = measure(written) ?? { value: 0, unit: '?', relative: false }
  if (unit === 'db') return value
  if (unit !== '%' && unit !== '') return undefined
  return 20 * Math.log10(Math.max(0.001, relative ? 1 + value / 100 : value / 100))
}

/** Milliseconds. `time` overrides `strength`; the default is medium. */
export const readBreak = (time: string | undefined, strength: string | undefined): number | undefined => {
  if (time === undefined) return strengths.get(strength ?? 'medium')
  const { value, unit } = measure(time) ?? { value: -1, unit: '?' }
  if (value < 0) return undefined
  return unit === 's' ? value * 1000 : unit === 'ms' ? value : undefined
}

/** Voices without stress are made slightly slower and louder; moderate emphasis does not justify splitting the sentence. */
const emphases = words({
  strong: { speed: 0.88, gainDb: 3 },
  moderate: { speed: 1, gainDb: 0 },
  none: { speed: 1, gainDb: 0 },
  reduced: { speed: 1.06, gainDb: -2 },
})

export const emphasisOf = (level: string | undefined): { speed: number; gainDb: number } | undefined => emphases.get(level ?? 'moderate')

/** Combines changes within the limits of voices. */
export const changed = (prosody: ProsodyStyle, change: { speed?: number; pitch?: number; gainDb?: number }): ProsodyStyle => ({
  ...prosody,
  speed: within(prosody.speed * (change.speed ?? 1), speedLimits),
  pitch: within(prosody.pitch + (change.pitch ?? 0), pitchLimits),
  gainDb: within(prosody.gainDb + (change.gainDb ?? 0), gainLimits),
})
