/** A field of a protobuf message: its number, its content (for those with a length), and all its bytes. */
export interface Field {
  number: number
  content: Uint8Array
  whole: Uint8Array
}

const wireLength = 2

const readVarint = (bytes: Uint8Array, at: number): { value: number; end: number } => {
  let value = 0
  let factor = 1
  for (let end = at; ; end++) {
    const byte = bytes[end]
    if (byte === undefined) throw new Error('the model file is cut off')
    value += (byte & 0x7f) * factor
    if (byte < 0x80) return { value, end: end + 1 }
    factor *= 128
  }
}

/** Where the content of a field begins and ends. */
const contentOf = (bytes: Uint8Array, wire: number, at: number): { from: number; to: number } => {
  if (wire === 0) return { from: at, to: readVarint(bytes, at).end }
  if (wire === 1) return { from: at, to: at + 8 }
  if (wire === 5) return { from: at, to: at + 4 }
  if (wire !== wireLength) throw new Error(`the model file has a field of an unknown kind (${wire})`)
  const { value, end } = readVarint(bytes, at)
  return { from: end, to: end + value }
}

export const readFields = (bytes: Uint8Array): Field[] => {
  const fields: Field[] = []
  for (let at = 0; at < bytes.length;) {
    const { value: key, end } = readVarint(bytes, at)
    const { from, to } = contentOf(bytes, key & 7, end)
    fields.push({ number: Math.floor(key / 8), content: bytes.subarray(from, to), whole: bytes.subarray(at, to) })
    at = to
  }
  return fields
}

/** The first field with this number; empty if there is none. */
export const fieldOf = (bytes: Uint8Array, number: number): Uint8Array =>
  readFields(bytes).find((field) => field.number === number)?.content ?? new Uint8Array(0)

/** Numbers that lie one after the other. */
export const readNumbers = (bytes: Uint8Array): number[] => {
  const numbers: number[] = []
  for (let at = 0; at < bytes.length;) {
    const { value, end } = readVarint(bytes, at)
    numbers.push(value)
    at = end
  }
  return numbers
}

const varint = (value: number): Uint8Array => {
  const bytes: number[] = []
  let rest = value
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  return Uint8Array.from([...bytes, rest])
}

export const numberField = (number: number, value: number): Uint8Array => Buffer.concat([varint(number * 8), varint(value)])

export const messageField = (number: number, ...parts: Uint8Array[]): Uint8Array => {
  const content = Buffer.concat(parts)
  return Buffer.concat([varint(number * 8 + wireLength), varint(content.length), content])
}

export const textField = (number: number, text: string): Uint8Array => messageField(number, Buffer.from(text))
