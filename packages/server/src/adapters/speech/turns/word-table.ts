import { readFileSync } from 'node:fs'
import { lastSentence, spokenWords } from '#core/speech/turns/embedded-turn-detector.ts'

/** As in training/turn-model: changing one of these needs new weights. */
const maxPieces = 12
const maxWords = 47
const maxAsked = 16

interface Head {
  buckets: number
  dims: number
}

/** Turns words into rows of numbers: each is the sum of a row for the word and the mean of rows for its pieces of three letters. */
export class WordTable {
  readonly #head: Head
  readonly #scales: Float32Array
  readonly #values: Int8Array

  /** `file`: written by training/turn-model/export.py. */
  constructor(file: string) {
    const bytes = readFileSync(file)
    const headLength = bytes.readUInt32LE(0)
    this.#head = JSON.parse(bytes.toString('utf8', 4, 4 + headLength)) as Head
    const { buckets, dims } = this.#head
    const from = bytes.byteOffset + 4 + headLength
    const own = bytes.buffer.slice(from, from + buckets * (4 + dims))
    this.#scales = new Float32Array(own, 0, buckets)
    this.#values = new Int8Array(own, buckets * 4)
  }

  /** One row a word: what was asked, the language, what the caller said. */
  rows(said: string, language: string, asked: string): { rows: Float32Array<ArrayBuffer>; words: number } {
    // Earlier sentences seldom ask for the answer.
    const question = spokenWords(lastSentence(asked)).slice(-maxAsked)
    const tokens = [...tokensOf(question).slice(-maxAsked), `<${language}>`, ...tokensOf(spokenWords(said)).slice(-maxWords)]
    const { dims } = this.#head
    const rows = new Float32Array(tokens.length * dims)
    for (const [index, token] of tokens.entries()) this.#write(token, rows.subarray(index * dims, (index + 1) * dims))
    return { rows, words: tokens.length }
  }

  #write(token: string, row: Float32Array): void {
    if (token.startsWith('<')) return this.#add(token, row, 1)
    this.#add(`=${token}`, row, 1)
    const pieces = piecesOf(token)
    for (const piece of pieces) this.#add(piece, row, 1 / pieces.length)
  }

  #add(piece: string, row: Float32Array, share: number): void {
    const { buckets, dims } = this.#head
    const bucket = hash(piece) % buckets
    const factor = (this.#scales[bucket] ?? 0) * share
    for (let i = 0; i < dims; i++) row[i] = (row[i] ?? 0) + (this.#values[bucket * dims + i] ?? 0) * factor
  }
}

/** Numbers of three and more digits become digits. */
const tokensOf = (words: readonly string[]): string[] =>
  words.flatMap((word) => (/^\d{3,}$/.test(word) ? Array.from(word, (digit, index) => (index === 0 ? digit : `+${digit}`)) : [word]))

const piecesOf = (token: string): string[] => {
  const framed = `^${token}$`
  const pieces = Array.from({ length: framed.length - 2 }, (_, index) => framed.slice(index, index + 3))
  if (token.length > 3) pieces.push(framed.slice(-5))
  return pieces.length > maxPieces ? [...pieces.slice(0, 4), ...pieces.slice(-(maxPieces - 4))] : pieces
}

/** FNV-1a. */
const hash = (text: string): number => {
  let value = 2_166_136_261
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 16_777_619)
  return value >>> 0
}
