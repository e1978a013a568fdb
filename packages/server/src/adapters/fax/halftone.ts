import { rowBytes, type MonoPage } from './mono-page.ts'

/** Nearly black is black and nearly white is white. */
const black = 64
const white = 208
const half = 128
/** A larger difference between adjacent pixels is the edge of a letter, which dots would fray. */
const edge = 96

const side = 8

/**
 * Shades darker than this are black at a position of the screen. Two dots, at opposite corners, grow until they meet at half grey as in a
 * checkerboard.
 */
const thresholds = (() => {
  // Slightly off the middle of a pixel, so that a dot grows by single pixels.
  const wave = (at: number): number => Math.cos((2 * Math.PI * (at + 0.4)) / side)
  const places = Array.from({ length: side * side }, (_, place) => ({
    place,
    lightness: wave(place % side) * wave(Math.floor(place / side)),
  }))
  const screen = new Uint8Array(side * side)
  for (const [rank, { place }] of places.toSorted((a, b) => a.lightness - b.lightness).entries())
    screen[place] = thresholdOf((rank + 0.5) / (side * side))
  return screen
})()

/** Half grey is half black; from there to black and to white no shade is lost. */
function thresholdOf(light: number): number {
  return Math.ceil(light < 0.5 ? black + 2 * light * (half - black) : half + (2 * light - 1) * (white - half))
}

/** A row with the previous and the next one. Each has a white pixel before its first, and ends with white ones. */
interface Rows {
  above: Uint8Array
  row: Uint8Array
  below: Uint8Array
}

/**
 * Converts greys to dots of several pixels, as in a newspaper: single pixels do not compress and would take many minutes on the line. Takes
 * the rows of a page as they come.
 */
export class Halftone {
  readonly page: MonoPage
  #added = 0
  #rows: Rows

  constructor(width: number, height: number) {
    this.page = { width, height, bits: new Uint8Array(rowBytes(width) * height) }
    const whiteRow = (): Uint8Array => new Uint8Array(rowBytes(width) * 8 + 2).fill(255)
    this.#rows = { above: whiteRow(), row: whiteRow(), below: whiteRow() }
  }

  /** One byte per pixel, 0 is black. A row is printed when the next one is available, or at the end. */
  add(greys: Uint8Array | Uint8ClampedArray): void {
    this.#forth().set(greys, 1)
    this.#added++
    if (this.#added > 1) printRow(this.page, this.#added - 2, this.#rows)
    if (this.#added < this.page.height) return
    this.#forth().fill(255)
    printRow(this.page, this.#added - 1, this.#rows)
  }

  /** Returns the buffer of the row below, to be filled. */
  #forth(): Uint8Array {
    const { above, row, below } = this.#rows
    this.#rows = { above: row, row: below, below: above }
    return above
  }
}

/** Processes every pixel on the main thread, so it is optimised: without branches that depend on a shade. */
const printRow = ({ width, bits }: MonoPage, y: number, { above, row, below }: Rows): void => {
  const screen = (y % side) * side
  const from = y * rowBytes(width)
  for (let column = 0, x = 1; column < rowBytes(width); column++) {
    if (isWhite(row, x)) {
      x += 8
      continue
    }
    let byte = 0
    for (let place = 0; place < side; place++, x++) {
      const limit = isEdge(row[x - 1]! - row[x + 1]!, above[x]! - below[x]!) ? half : thresholds[screen + place]!
      byte = (byte << 1) | ((row[x]! - limit) >>> 31)
    }
    bits[from + column] = byte
  }
}

/** Eight pixels. */
const isWhite = (row: Uint8Array, x: number): boolean =>
  (row[x]! & row[x + 1]! & row[x + 2]! & row[x + 3]! & row[x + 4]! & row[x + 5]! & row[x + 6]! & row[x + 7]!) === 255

const isEdge = (across: number, down: number): boolean => across > edge || across < -edge || down > edge || down < -edge
