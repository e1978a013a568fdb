import { readFile } from 'node:fs/promises'
import { marksOf, type Mark } from './marks.ts'

/** Moonshine’s vocabulary: that of Llama, which a package has as a list in base64. */
export class LlamaWords {
  readonly marks: ReadonlyMap<number, Mark>
  readonly #pieces: readonly string[]

  constructor(source: string) {
    const list = /llama_vocab_base64\s*=\s*"([^"]+)"/.exec(source)?.[1]
    if (list === undefined) throw new Error('the tokenizer’s file has no vocabulary')
    this.#pieces = Buffer.from(list, 'base64').toString('utf8').split('\n')
    this.marks = marksOf(this.#pieces.length, (word) => this.text([word]))
  }

  static async open(file: string): Promise<LlamaWords> {
    return new LlamaWords(await readFile(file, 'utf8'))
  }

  isNumber(word: number): boolean {
    return /\d/.test(this.#pieces[word] ?? '')
  }

  /** ▁ is a space; what is in no piece is written byte by byte, as <0x0A>. */
  text(words: readonly number[]): string {
    const bytes = words.map((word) => {
      const piece = this.#pieces[word] ?? ''
      const byte = /^<0x([0-9A-F]{2})>$/.exec(piece)?.[1]
      return byte === undefined ? Buffer.from(piece.replaceAll('▁', ' ')) : Buffer.from(byte, 'hex')
    })
    return Buffer.concat(bytes).toString('utf8').trim()
  }
}
