import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { marksOf, type Mark } from './marks.ts'

/** GPT-2 writes each byte as a visible character: most as themselves, the others as those from 256 on. */
const visibleBytes = (): Map<string, number> => {
  const visible = (byte: number): boolean => (byte > 32 && byte < 127) || (byte > 160 && byte !== 173)
  let others = 0
  return new Map(Array.from({ length: 256 }, (_, byte) => [String.fromCharCode(visible(byte) ? byte : 256 + others++), byte]))
}

const byteOf = visibleBytes()
const characterOf = new Map([...byteOf].map(([character, byte]) => [byte, character]))

interface Files {
  vocabulary: Record<string, number>
  special: Record<string, number>
  never: readonly number[]
  neverFirst: readonly number[]
}

/** Whisper’s vocabulary and its special words. */
export class WhisperWords {
  readonly never: readonly number[]
  readonly neverFirst: readonly number[]
  readonly marks: ReadonlyMap<number, Mark>
  readonly #ids: ReadonlyMap<string, number>
  readonly #pieces: readonly string[]
  readonly #special: Readonly<Record<string, number>>

  constructor({ vocabulary, special, never, neverFirst }: Files) {
    this.never = never
    this.neverFirst = neverFirst
    this.#special = special
    this.#ids = new Map(Object.entries(vocabulary))
    const pieces: string[] = []
    for (const [piece, id] of this.#ids) pieces[id] = piece
    this.#pieces = pieces
    this.marks = marksOf(pieces.length, (word) => this.text([word]))
  }

  static async open(folder: string): Promise<WhisperWords> {
    const read = async (name: string): Promise<unknown> => JSON.parse(await readFile(join(folder, name), 'utf8'))
    const generation = (await read('generation_config.json')) as { suppress_tokens: number[]; begin_suppress_tokens: number[] }
    return new WhisperWords({
      vocabulary: (await read('vocab.json')) as Record<string, number>,
      special: (await read('added_tokens.json')) as Record<string, number>,
      never: generation.suppress_tokens,
      neverFirst: generation.begin_suppress_tokens,
    })
  }

  special(name: string): number {
    const id = this.#special[`<|${name}|>`] ?? this.#ids.get(`<|${name}|>`)
    if (id === undefined) throw new Error(`the model has no word ${name}`)
    return id
  }

  isNumber(word: number): boolean {
    return /\d/.test(this.#pieces[word] ?? '')
  }

  text(words: readonly number[]): string {
    const bytes = words.flatMap((word) => Array.from(this.#pieces[word] ?? '', (character) => byteOf.get(character) ?? 0x3f))
    return Buffer.from(bytes).toString('utf8').trim()
  }

  /** The longest pieces from the left: not always those it was taught with, but it can read them. */
  ids(text: string): number[] {
    const characters = Array.from(Buffer.from(text), (byte) => characterOf.get(byte) ?? '').join('')
    const ids: number[] = []
    for (let at = 0; at < characters.length;) {
      let length = Math.min(maxPieceLength, characters.length - at)
      while (length > 1 && !this.#ids.has(characters.slice(at, at + length))) length--
      const id = this.#ids.get(characters.slice(at, at + length))
      if (id !== undefined) ids.push(id)
      at += length
    }
    return ids
  }
}

const maxPieceLength = 24
