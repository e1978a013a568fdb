import { closingQuote, isToken, isTokenCode, malformed, quote, skipBlanks, skipToken, unquote, unsendable } from './scan.ts'

/** Names in lower case; a parameter without a value is an empty text. No prototype. */
export type Params = Readonly<Record<string, string>>

/**
 * An object without the names that every object has: a stranger's `constructor` or `__proto__` is a parameter like others.
 * Made with `new`, not `Object.create(null)`, because that is several times faster.
 */
const Bag = function Bag() {} as unknown as new () => Record<string, string>
Bag.prototype = Object.create(null) as object

export const emptyParams = (): Record<string, string> => new Bag()

export const noParams: Params = Object.freeze(emptyParams())

/** A parameter value outside quotes: tokens, hosts, IPv6 addresses with and without brackets. */
const valueEnd = (text: string, from: number): number => {
  let i = from
  for (; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 59 || code === 32 || code === 9) break
    if (code === 44 || code === 34 || code === 60 || code === 62) throw malformed('A parameter value has a character that needs quotes')
  }
  return i
}

/** Everything from `from` to the end: `;name=value ; name="value" ;name`. When a name is there twice the first one counts. */
export const parseParams = (text: string, from: number): Params => {
  let i = skipBlanks(text, from)
  if (i === text.length) return noParams
  const params = emptyParams()
  while (i < text.length) {
    if (text.charCodeAt(i) !== 59) throw malformed('Parameters are not separated by semicolons')
    const nameStart = skipBlanks(text, i + 1)
    const nameEnd = skipToken(text, nameStart)
    if (nameEnd === nameStart) throw malformed('A parameter has no name')
    const name = text.slice(nameStart, nameEnd).toLowerCase()
    let value = ''
    i = skipBlanks(text, nameEnd)
    if (text.charCodeAt(i) === 61) {
      const start = skipBlanks(text, i + 1)
      const quoted = text.charCodeAt(start) === 34
      const end = quoted ? closingQuote(text, start) : valueEnd(text, start)
      value = quoted ? unquote(text, start, end) : text.slice(start, end)
      i = skipBlanks(text, quoted ? end + 1 : end)
    }
    params[name] ??= value
  }
  return params
}

/** IPv6 addresses and the like stand without quotes. */
const isPlainValue = (value: string): boolean => {
  for (let i = 0; i < value.length; i++) {
    const code = value.charCodeAt(i)
    const addressPart = code === 58 || code === 91 || code === 93
    if (!addressPart && !isTokenCode(code)) return false
  }
  return true
}

export const formatParams = (params: Readonly<Record<string, string | undefined>>): string => {
  let text = ''
  for (const name in params) {
    const value = params[name]
    if (value === undefined) continue
    if (!isToken(name)) throw unsendable('A parameter name is not a token')
    text += value === '' ? `;${name}` : `;${name}=${isPlainValue(value) ? value : quote(value)}`
  }
  return text
}
