import { rowBytes, type MonoPage } from './mono-page.ts'
import type { GreyPicture } from './png.ts'

/** A field of so many pixels becomes one: a letter is still readable, and the file is small. */
const step = 4
const mostRows = 1200

const blackBits = Uint8Array.from({ length: 16 }, (_, half) => half.toString(2).replaceAll('0', '').length)

/** The page in small: how black each field is. */
export const previewOf = ({ width, height, bits }: MonoPage): GreyPicture => {
  const columns = Math.floor(width / step)
  const rows = Math.max(1, Math.min(mostRows, Math.floor(height / step)))
  const shades = new Uint8Array(columns * rows)
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      const black = blackIn(bits, rowBytes(width), row * step, column)
      shades[row * columns + column] = 255 - Math.round((black * 255) / (step * step))
    }
  return { width: columns, height: rows, shades }
}

/** Two fields share the bytes of a row. */
const blackIn = (bits: Uint8Array, bytes: number, top: number, column: number): number => {
  let black = 0
  for (let y = top; y < top + step; y++) {
    const byte = bits[y * bytes + (column >> 1)] ?? 0
    black += blackBits[column % 2 === 0 ? byte >> 4 : byte & 0x0f] ?? 0
  }
  return black
}
