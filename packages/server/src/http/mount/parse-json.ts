import { Problem } from '@offhook/contract/problem.ts'
import { JsonTooComplex, parseBoundedJson, type JsonLimits } from '@offhook/contract/bounded-json.ts'

/** Bytes from which a body is parsed in chunks, so that other requests and calls run in between. */
export const large = 256 * 1024

export const parseJson = (text: string, limits?: JsonLimits): unknown => {
  if (text.trim() === '') return undefined
  const value = withProblems(() => parseBoundedJson(text, limits))
  // Only a text that spells these can contain them, so the walk is rare.
  if (/\\u0000|__proto__|\0/.test(text)) refuseDangerous(value)
  return value
}

/** Converts parse errors to Problems for the client. */
export const withProblems = <T>(read: () => T): T => {
  try {
    return read()
  } catch (error) {
    if (error instanceof JsonTooComplex) throw new Problem('parameter_invalid', `The body is too complex: ${error.message}.`)
    throw error instanceof SyntaxError ? new Problem('invalid_json') : error
  }
}

/** PostgreSQL cannot store a NUL. */
export const refuseNul = (text: string): void => {
  if (text.includes('\0')) throw new Problem('parameter_invalid', 'A string contains a NUL character.')
}

/** `__proto__` is only sent as an attack. The limits of the parser bound the depth. */
const refuseDangerous = (value: unknown): void => {
  if (typeof value === 'string') refuseNul(value)
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    if (key === '__proto__' || key.includes('\0')) throw new Problem('parameter_invalid', 'A field name is not allowed.')
    refuseDangerous(inner)
  }
}
