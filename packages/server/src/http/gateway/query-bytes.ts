const plus = 0x2b
const percent = 0x25
const space = 0x20

/** The fields of a query as the bytes that they are, whatever they mean as text; the last of several with one name. */
export const queryBytes = (url: string): Map<string, Buffer> => {
  const start = url.indexOf('?')
  const fields = start < 0 ? [] : url.slice(start + 1).split('&')
  return new Map(
    fields.map((field) => {
      const at = field.indexOf('=')
      const [name, value] = at < 0 ? [field, ''] : [field.slice(0, at), field.slice(at + 1)]
      return [unescaped(name).toString('utf8'), unescaped(value)]
    }),
  )
}

const unescaped = (text: string): Buffer => {
  const from = Buffer.from(text, 'latin1') // as Node reads a request line
  const to = Buffer.alloc(from.length)
  let length = 0
  for (let at = 0; at < from.length; at++) {
    const byte = from[at] ?? 0
    const hex = byte === percent ? from.toString('latin1', at + 1, at + 3) : ''
    const escaped = /^[0-9a-f]{2}$/i.test(hex)
    to[length++] = escaped ? Number.parseInt(hex, 16) : byte === plus ? space : byte
    if (escaped) at += 2
  }
  return to.subarray(0, length)
}
