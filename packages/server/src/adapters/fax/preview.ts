import { rowBytes, type MonoPage } from './mono-page.ts'
import type { GreyPicture } from './png.ts'

/** A field of this many pixels becomes one: a letter is still readable, and the file is small. */
const step = 4
const maxRows = 1200

/** By how many of its pixels are black. */
const shadeOf = Uint8Array.from({ length: step * step + 1 }, (_, black) => 255 - Math.round((black * 255) / (step * step)))

const bitsIn = (half: number): number => half.toString(2).replaceAll('0', '').length
const blackLeft = Uint8Array.from({ length: 256 }, (_, byte) => bitsIn(byte >> 4))
const blackRight = Uint8Array.from({ length: 256 }, (_, byte) => bitsIn(byte & 0x0f))

/** The page in small: how black each field is. */
export const previewOf = ({ width, height, bits }: MonoPage): GreyPicture => {
  const columns = Math.floor(width / step)
  const rows = Math.max(1, Math.min(maxRows, Math.floor(height / step)))
  const shades = new Uint8Array(columns * rows)
  for (let row = 0; row < rows; row++) {
    const field = shades.subarray(row * columns, (row + 1) * columns)
    for (let line = 0; line < step; line++) countBlack(bits, (row * step + line) * rowBytes(width), field)
  }
  for (let at = 0; at < shades.length; at++) shades[at] = shadeOf[shades[at]!]!
  return { width: columns, height: rows, shades }
}

/** Two fields share a byte. What is not there is white. */
const countBlack = (bits: Uint8Array, from: number, counts: Uint8Array): void => {
  for (let column = 0; column < counts.length; column += 2) {
    const byte = bits[from + (column >> 1)] ?? 0
    counts[column]! += blackLeft[byte]!
    counts[column + 1]! += blackRight[byte]!
  }
}
