import { rowBytes, type MonoPage } from './mono-page.ts'
import type { GreyPicture } from './png.ts'

/** A block of this many pixels becomes one: letters stay readable, and the file is small. */
const step = 4
const maxRows = 1200

/** Shade by the number of black pixels. */
const shadeOf = Uint8Array.from({ length: step * step + 1 }, (_, black) => 255 - Math.round((black * 255) / (step * step)))

const bitsIn = (half: number): number => half.toString(2).replaceAll('0', '').length
const blackLeft = Uint8Array.from({ length: 256 }, (_, byte) => bitsIn(byte >> 4))
const blackRight = Uint8Array.from({ length: 256 }, (_, byte) => bitsIn(byte & 0x0f))

/** The page in small: the share of black of each block. */
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

/** Two blocks share a byte. Missing pixels are white. */
const countBlack = (bits: Uint8Array, from: number, counts: Uint8Array): void => {
  for (let column = 0; column < counts.length; column += 2) {
    const byte = bits[from + (column >> 1)] ?? 0
    counts[column]! += blackLeft[byte]!
    counts[column + 1]! += blackRight[byte]!
  }
}
