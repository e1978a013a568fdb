import { Problem } from '@offhook/contract/problem.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/**
 * JSON and forms. An empty body is no body, whatever the content type says: clients send the header out of habit. And some forget it:
 * a body without a content type is read as JSON, and so is one that is plainly JSON under the type that curl gives to every body.
 */
export const installBodyParsers = (app: FastifyInstance): void => {
  const asJson = (request: FastifyRequest, text: string): unknown => {
    request.rawBody = text
    return parseJson(text)
  }
  app.removeAllContentTypeParsers()
  parseWith(app, 'application/json', asJson)
  parseWith(app, formType, (request, text) => (/^\s*[{[]/.test(text) ? asJson(request, text) : parseForm(text)))
  parseWith(app, '*', (request, text) => {
    if (request.headers['content-type']) throw new Problem('media_type_unsupported')
    return asJson(request, text)
  })
}

const formType = 'application/x-www-form-urlencoded'

const parseWith = (app: FastifyInstance, contentType: string, parse: (request: FastifyRequest, text: string) => unknown): void => {
  app.addContentTypeParser(contentType, { parseAs: 'string' }, (request, text, done) => {
    try {
      done(null, parse(request, text as string))
    } catch (error) {
      done(error as Error, undefined)
    }
  })
}

/** For the pages and token endpoints of the identity provider. */
export const acceptOnlyForms = (scope: FastifyInstance): void => {
  scope.removeAllContentTypeParsers()
  parseWith(scope, formType, (_request, text) => parseForm(text))
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

/** PostgreSQL cannot store a NUL, and `__proto__` is only sent as an attack. */
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
