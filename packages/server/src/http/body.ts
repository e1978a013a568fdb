import { Problem } from '@offhook/contract/problem.ts'
import type { FastifyInstance } from 'fastify'

/** JSON and forms. An empty body is no body, whatever the content type says: clients send the header out of habit. */
export const installBodyParsers = (app: FastifyInstance): void => {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text, done) => {
    try {
      request.rawBody = text as string
      done(null, parseJson(text as string))
    } catch (error) {
      done(error as Error, undefined)
    }
  })
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, text, done) => {
    try {
      done(null, parseForm(text as string))
    } catch (error) {
      done(error as Error, undefined)
    }
  })
}

export const parseJson = (text: string): unknown => {
  if (text.trim() === '') return undefined
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new Problem('invalid_json')
  }
  // Only a text that spells these can hold them, so the walk is rarely taken.
  if (/\\u0000|__proto__|\0/.test(text)) refuseDangerous(value, 0)
  return value
}

/** PostgreSQL cannot keep a NUL, and nobody sends `__proto__` with a good purpose. */
const refuseDangerous = (value: unknown, depth: number): void => {
  if (depth > 100) throw new Problem('parameter_invalid', 'The body is nested too deeply.')
  if (typeof value === 'string' && value.includes('\0')) throw new Problem('parameter_invalid', 'A text contains a NUL character.')
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    if (key === '__proto__' || key.includes('\0')) throw new Problem('parameter_invalid', 'A field name is not acceptable.')
    refuseDangerous(inner, depth + 1)
  }
}

/** A field that is given twice is refused: which of the two was meant? (RFC 6749 §3.1) */
export const parseForm = (text: string): Record<string, string> => {
  const fields: Record<string, string> = Object.create(null) as Record<string, string>
  for (const [name, value] of new URLSearchParams(text)) {
    if (name in fields) throw Problem.field(name, 'is given more than once')
    if (value.includes('\0')) throw Problem.field(name, 'contains a NUL character')
    fields[name] = value
  }
  return { ...fields }
}
