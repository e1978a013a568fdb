import { rowBytes, type MonoPage } from './mono-page.ts'

/** Nearly black is black and nearly white is white, so that the edges of letters stay clean. */
const black = 64
const white = 208

/** From red, green, blue, opacity to black and white. Greys become dots: what a pixel is too dark or too light its neighbours make up for. */
export const blackAndWhite = (pixels: Uint8ClampedArray, width: number, height: number): MonoPage => {
  const bits = new Uint8Array(rowBytes(width) * height)
  let debts = new Float32Array(width + 2)
  let below = new Float32Array(width + 2)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const shade = snapped(greyAt(pixels, (y * width + x) * 4))
      const wanted = shade + (shade > 0 && shade < 255 ? debts[x + 1]! : 0)
      const isBlack = wanted < 128
      if (isBlack) bits[y * rowBytes(width) + (x >> 3)]! |= 0x80 >> (x & 7)
      const debt = wanted - (isBlack ? 0 : 255)
      debts[x + 2]! += (debt * 7) / 16
      below[x]! += (debt * 3) / 16
      below[x + 1]! += (debt * 5) / 16
      below[x + 2]! += debt / 16
    }
    ;[debts, below] = [below, debts.fill(0)]
  }
  return { width, height, bits }
}

const greyAt = (pixels: Uint8ClampedArray, at: number): number => 0.299 * pixels[at]! + 0.587 * pixels[at + 1]! + 0.114 * pixels[at + 2]!

const snapped = (shade: number): number => {
  if (shade <= black) return 0
  return shade >= white ? 255 : shade
}
