import type { ProsodyStyle, Piece, Script, TextPiece } from './script.ts'

/** Between paragraphs. */
const paragraphMs = 400
const maxBreakMs = 60_000

/** Collects the pieces of a document while it is read. */
export class ScriptWriter {
  #pieces: Piece[] = []
  readonly #outer: Piece[][] = []
  /** The next words start a piece of their own, after this much silence. */
  #gapMs: number | undefined
  #breakMs = 0

  /** What is said last, up to here. */
  get lastWords(): string {
    const last = this.#pieces.at(-1)
    return last?.kind === 'text' && this.#gapMs === undefined ? last.text : ''
  }

  /** Words in the same manner belong together. */
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

  /** What follows is another sentence, or another paragraph. */
  apart(paragraph: boolean): void {
    this.#gapMs = Math.max(this.#gapMs ?? 0, paragraph ? paragraphMs : 0)
  }

  /** False: pauses add up to more than they may, and this one is shorter. */
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

  /** From here on it is what is said instead of a sound. */
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
