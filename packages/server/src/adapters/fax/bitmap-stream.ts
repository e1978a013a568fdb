import type { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { Halftone } from './halftone.ts'
import { rowBytes, type MonoPage } from './mono-page.ts'

const maxHeaderLength = 64
/** Bytes processed before yielding to the event loop. */
const maxConcurrent = 128 * 1024

/** PBM and PGM. */
const headers = { mono: /^P4\s(\d{1,6})\s(\d{1,6})\s/, grey: /^P5\s(\d{1,6})\s(\d{1,6})\s255\s/ }

export interface BitmapFormat {
  kind: keyof typeof headers
  /** Maximum bytes of one page, in black and white. */
  maxBytes: number
}

/** Bitmaps from a renderer, one after the other. Throws on other or oversized data. */
export async function* readBitmaps(stream: Readable, format: BitmapFormat): AsyncGenerator<MonoPage, void, undefined> {
  let drawing: Drawing | undefined
  let rest = Buffer.alloc(0)
  let turn = 0
  for await (const piece of stream as AsyncIterable<Buffer>) {
    rest = Buffer.concat([rest, piece])
    for (;;) {
      drawing ??= begin(rest, format)
      if (!drawing) break
      rest = rest.subarray(drawing.take(rest))
      if (!drawing.isComplete) break
      yield drawing.page
      drawing = undefined
    }
    turn += piece.length
    if (turn >= maxConcurrent) turn = await setImmediate(0)
  }
  if (drawing || rest.length > 0) throw new Error('a bitmap is incomplete')
}

/** Undefined when more bytes are needed. */
const begin = (bytes: Buffer, { kind, maxBytes }: BitmapFormat): Drawing | undefined => {
  const [header, columns, rows] = headers[kind].exec(bytes.toString('latin1', 0, maxHeaderLength)) ?? []
  if (header === undefined) {
    if (bytes.length >= maxHeaderLength) throw new Error('this is no bitmap')
    return undefined
  }
  const [width, height] = [Number(columns), Number(rows)]
  if (rowBytes(width) * height > maxBytes) throw new Error('a bitmap is too large')
  return new Drawing(kind, { width, height, header: header.length })
}

/** A page whose rows are still incomplete. */
class Drawing {
  readonly page: MonoPage
  readonly #stride: number
  readonly #draw: (row: Uint8Array, y: number) => void
  #header: number
  #rows = 0

  constructor(kind: BitmapFormat['kind'], { width, height, header }: { width: number; height: number; header: number }) {
    this.#header = header
    if (kind === 'grey') {
      const halftone = new Halftone(width, height)
      this.page = halftone.page
      this.#stride = width
      this.#draw = (row) => halftone.add(row)
    } else {
      const bits = new Uint8Array(rowBytes(width) * height)
      this.page = { width, height, bits }
      this.#stride = rowBytes(width)
      this.#draw = (row, y) => bits.set(row, y * row.length)
    }
  }

  get isComplete(): boolean {
    return this.#rows === this.page.height
  }

  /** Returns the number of bytes used: whole rows. */
  take(bytes: Uint8Array): number {
    let at = this.#header
    this.#header = 0
    for (; !this.isComplete && at + this.#stride <= bytes.length; at += this.#stride)
      this.#draw(bytes.subarray(at, at + this.#stride), this.#rows++)
    return at
  }
}
