/** Reason for rejecting an archive, as a text for the operator that follows its name. */
export class BadArchive extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'BadArchive'
  }
}

/** POSIX.1-2001 (pax): a tar is a sequence of blocks of 512 bytes. */
export const blockBytes = 512

export interface TarHeader {
  name: string
  bytes: number
  /** `0`: a file. `x`: records about the next entry. Others are links, folders, devices. */
  type: string
}

/** A number too large for its octal digits is in a pax record. */
const maxOctal = 0o77777777777
const maxNameBytes = 100
const magic = Buffer.from('ustar\u000000', 'latin1')

/** Header of a file, preceded by a pax record if its name or size needs one. */
export const encodeHeader = (name: string, bytes: number, changedAt: number): Buffer => {
  const records = [
    ...(Buffer.byteLength(name) > maxNameBytes ? [paxRecord('path', name)] : []),
    ...(bytes > maxOctal ? [paxRecord('size', String(bytes))] : []),
  ]
  const header = block({ name: shortened(name), bytes: Math.min(bytes, maxOctal), type: '0' }, changedAt)
  if (records.length === 0) return header
  const said = Buffer.from(records.join(''))
  return Buffer.concat([block({ name: 'pax', bytes: said.length, type: 'x' }, changedAt), said, padding(said.length), header])
}

/** Padding of the last block. */
export const padding = (bytes: number): Buffer => Buffer.alloc((blockBytes - (bytes % blockBytes)) % blockBytes)

/** Only the owner may read extracted files. */
const mode = 0o600

const block = ({ name, bytes, type }: TarHeader, changedAt: number): Buffer => {
  const header = Buffer.alloc(blockBytes)
  const octal = (value: number, at: number, length: number): unknown =>
    header.write(value.toString(8).padStart(length - 1, '0'), at, length - 1, 'latin1')
  header.write(name, 0, maxNameBytes, 'utf8')
  octal(mode, 100, 8)
  octal(0, 108, 8)
  octal(0, 116, 8)
  octal(bytes, 124, 12)
  octal(Math.max(0, Math.floor(changedAt / 1000)), 136, 12)
  header.write(type, 156, 1, 'latin1')
  magic.copy(header, 257)
  header.write(`${checksum(header).toString(8).padStart(6, '0')}\0 `, 148, 8, 'latin1')
  return header
}

/** For programs without pax; never ends with half a character. */
const shortened = (name: string): string => {
  let short = name
  while (Buffer.byteLength(short) > maxNameBytes) short = short.slice(0, -1)
  return short
}

/** Its length includes itself. */
const paxRecord = (key: string, value: string): string => {
  const rest = ` ${key}=${value}\n`
  const others = Buffer.byteLength(rest)
  let length = others + 1
  while (String(length).length + others !== length) length = String(length).length + others
  return `${length}${rest}`
}

/** Sum of all bytes of the header, with its own field as spaces. */
const checksum = (header: Uint8Array): number => {
  let sum = 0
  for (const [at, byte] of header.entries()) sum += at >= 148 && at < 156 ? 0x20 : byte
  return sum
}

export const decodeHeader = (header: Buffer): TarHeader => {
  if (header.toString('latin1', 257, 262) !== 'ustar' || octalAt(header, 148, 8) !== checksum(header))
    throw new BadArchive('is damaged, or no tar archive: where a file should begin there is something else')
  const prefix = textAt(header, 345, 155)
  const name = textAt(header, 0, maxNameBytes)
  const type = header.toString('latin1', 156, 157).replace('\0', '0')
  return { name: prefix === '' ? name : `${prefix}/${name}`, bytes: octalAt(header, 124, 12), type }
}

/** Pax records about the next entry. */
export const decodePax = (records: Buffer): Partial<Pick<TarHeader, 'name' | 'bytes'>> => {
  const said: Partial<Pick<TarHeader, 'name' | 'bytes'>> = {}
  for (let at = 0; at < records.length;) {
    const space = records.indexOf(0x20, at)
    const length = space < 0 ? 0 : wholeNumber(records.toString('latin1', at, space))
    const [, key, value = ''] = /^(\w[\w.]*)=(.*)\n$/s.exec(records.toString('utf8', space + 1, at + length)) ?? []
    if (key === undefined || at + length > records.length) throw new BadArchive('is damaged: a record about a file cannot be read')
    if (key === 'path') said.name = value
    if (key === 'size') said.bytes = wholeNumber(value)
    at += length
  }
  return said
}

const wholeNumber = (text: string): number => {
  const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (!Number.isSafeInteger(number)) throw new BadArchive('is damaged: it has an impossible length')
  return number
}

const textAt = (header: Buffer, at: number, length: number): string => {
  const field = header.subarray(at, at + length)
  const end = field.indexOf(0)
  return field.toString('utf8', 0, end < 0 ? length : end)
}

const octalAt = (header: Buffer, at: number, length: number): number => {
  const text = textAt(header, at, length).trim()
  if (!/^[0-7]{1,11}$/.test(text)) throw new BadArchive('is damaged: it has an impossible length')
  return Number.parseInt(text, 8)
}
