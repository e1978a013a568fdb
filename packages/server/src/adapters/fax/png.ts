import { promisify } from 'node:util'
import { crc32, deflate } from 'node:zlib'

const pack = promisify(deflate)

/** Shades of grey, 0 is black. */
export interface GreyPicture {
  width: number
  height: number
  shades: Uint8Array
}

const signature = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)

export const writePng = async ({ width, height, shades }: GreyPicture): Promise<Uint8Array> => {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head[8] = 8 // bits; the zeros after it: grey, deflate, filters, not interlaced
  const rows = Buffer.alloc((width + 1) * height) // each row begins with its filter: none
  for (let row = 0; row < height; row++) rows.set(shades.subarray(row * width, (row + 1) * width), row * (width + 1) + 1)
  return Buffer.concat([signature, chunk('IHDR', head), chunk('IDAT', await pack(rows)), chunk('IEND', Buffer.alloc(0))])
}

const chunk = (type: string, data: Uint8Array): Buffer => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const frame = Buffer.alloc(body.length + 8)
  frame.writeUInt32BE(data.length, 0)
  frame.set(body, 4)
  frame.writeUInt32BE(crc32(body), body.length + 4)
  return frame
}
